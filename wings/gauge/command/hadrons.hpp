// Smeared sources and sinks, and correlators of hadrons, of the commands that compute propagators.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/gaussian.hpp>
#include <ridge/gauge/hadrons.hpp>
#include <ridge/gauge/smear.hpp>
#include <ridge/record/record.hpp>

#include "../io/hdf5/propagator_file.hpp"
#include "app/options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ridge::app {

class Hadrons {
public:
  void add_options(const Command& command);
  /// Throws UsageError for options that mean nothing. `shifted`: no propagator is computed.
  void check(bool shifted);
  /// Takes what smearing needs of the links.
  void prepare(Queue& queue, const Extents& extents, const gauge::HostLinks& links);
  void smear_source(io::Column& b) const;
  [[nodiscard]] bool smears_source() const { return source_.steps > 0; }
  [[nodiscard]] bool smears_sink() const { return sink_.steps > 0; }
  /// Smears a column at the sink.
  void smear_sink(io::Column& x) const;
  /// Keeps a column as its sink has it; `midpoint`: of domain walls, or null.
  void take(int column, std::shared_ptr<const io::Column> x, const io::Column* midpoint);
  /// Correlators of all columns that were taken, where they are all.
  void contract(Index source_time, bool antiperiodic);

  [[nodiscard]] const std::vector<gauge::Correlator>& correlators() const { return correlators_; }
  [[nodiscard]] std::vector<io::PropagatorNumber> numbers() const;
  /// Fields of the record.
  [[nodiscard]] std::vector<Detail> details() const;
  /// Lines of a table, and of the residual mass.
  [[nodiscard]] std::string text() const;

private:
  /// The mean over the middle half of all times of the midpoint's correlator over the pion's.
  [[nodiscard]] std::optional<double> residual_mass() const;
  [[nodiscard]] const std::vector<double>* find(const char* name) const;

  std::string source_text_, sink_text_, links_text_;
  bool none_ = false;
  gauge::GaussianOptions source_, sink_;
  gauge::SmearOptions link_smearing_{.stout = false, .weight = 0, .steps = 0, .spatial = true};
  std::unique_ptr<gauge::GaussianSmearing> smearing_;
  Extents extents_;
  std::vector<std::shared_ptr<const io::Column>> columns_;
  std::vector<double> midpoint_; ///< from time 0 on
  std::vector<gauge::Correlator> correlators_;
};

} // namespace ridge::app
