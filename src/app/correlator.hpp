// A meson's correlator: as a table and as a picture.
#pragma once

#include <ridge/core/extents.hpp>

#include "../io/output_plan.hpp"

#include <string>
#include <vector>

namespace ridge::app {

class Correlator {
public:
  /// `values`: a slice of time each; the source is at `from`.
  Correlator(const std::vector<double>& values, Index from);
  /// A line a time: from the source, C(t), and the effective mass log C(t) / C(t + 1) where both
  /// are positive.
  [[nodiscard]] std::string table(const std::string& name) const;
  /// Bars of the logarithm, the lowest and the highest value at the edges.
  void draw(const io::OutputPlan& plan, const std::string& file) const;

private:
  std::vector<double> values_; ///< from the source on
};

} // namespace ridge::app
