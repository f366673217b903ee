// The options of interactions within a cutoff.
#pragma once

#include <ridge/lab/bench.hpp>

#include "options.hpp"

#include <optional>
#include <string>

namespace ridge::app {

struct NearOptions {
  std::optional<double> cutoff = {}, skin = {}, density = {};
  std::string box = {};

  void add_to(const Command& command);
  /// Nothing where no cutoff is given. Throws UsageError for options without one, for kernels that
  /// are no interactions, and for values that cannot be.
  [[nodiscard]] std::optional<lab::NearRequest> request(const lab::BenchKernel& chosen,
                                                        const std::string& named) const;
};

} // namespace ridge::app
