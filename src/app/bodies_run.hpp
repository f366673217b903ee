// A run of bodies, from the first step to the last.
#pragma once

#include <ridge/core/error.hpp>

#include "nbody_format.hpp"
#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// Throws UsageError for numbers that --steps and --every do not take.
inline void require_steps(Index steps, const std::optional<Index>& every) {
  if (steps < 0) throw UsageError(fmt::format("--steps {}: it must not be negative", steps));
  if (every && *every < 1)
    throw UsageError(fmt::format("--every {}: at least 1 is needed", *every));
}

/// Rank 0 alone has a writer, a BodiesFile, and none where there is no output.
template <class Writer>
class BodiesRun : protected Run {
protected:
  /// Takes `steps` from `step` on.
  BodiesRun(std::string output, Index step, Index steps, const std::optional<Index>& every)
      : Run(comm::world()), output_(std::move(output)) {
    using nbody_format::most_steps;
    if (steps > most_steps - step)
      throw UsageError(fmt::format("--steps {}: a run has at most {} steps", steps, most_steps));
    plan(step, step + steps, every.value_or(std::max<Index>(1, steps / 10)));
  }

  /// Claims the output; `inputs` are what was read.
  void claim(const std::vector<std::filesystem::path>& inputs, bool overwrite) {
    if (!output_.empty() && ranks_.rank() == 0) writer_.emplace(output_, inputs, overwrite);
  }
  template <class... State>
  void write_state(const State&... state) {
    if (writer_) write([&] { writer_->write(state...); }, [&] { return kept(); });
  }
  /// What the output has, at the end of what is said of an error.
  [[nodiscard]] std::string kept() const { return writer_ ? writer_->kept() : ""; }
  /// The files that are left; empty where there are none.
  [[nodiscard]] std::string written() const { return writer_ ? writer_->text() : ""; }

private:
  [[nodiscard]] std::string kept_in() const override {
    return output_.empty() ? "" : output_ + " keeps it";
  }
  [[nodiscard]] std::string doing() const override { return "integrating"; }

  std::string output_;
  std::optional<Writer> writer_;
};

} // namespace ridge::app
