// The steps of a run of `ridge evolve`: how many, how long, and how often one is kept.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/record/record.hpp>

#include "evolve_setup.hpp"
#include "run.hpp"

#include <optional>
#include <string>

namespace ridge::app {

/// --absorb-width where it is not given.
inline constexpr Index usual_absorb_width = 20;
/// Steps are chosen a little smaller than the largest stable one, at which some waves never decay.
inline constexpr double part_of_stable = 0.9;

struct StepPlan {
  Index target = 0; ///< the last step
  Index every = 0;  ///< steps between snapshots
};

/// From `step` on. `before` is the plan of a run that goes on. Throws UsageError for no steps.
[[nodiscard]] StepPlan plan_steps(const EvolveOptions& options, Index step,
                                  const std::optional<StepPlan>& before);

/// The number that --dt says; nothing for "auto" and where it is not given. Throws UsageError.
[[nodiscard]] std::optional<double> parse_dt(const std::string& text);

/// Throws UsageError that says both, where `dt` is larger than the largest stable step.
void require_stable(double dt, double stable, const std::string& kernel);

/// A restart is the same run: nothing that its fields depend on may be given anew. Throws
/// UsageError for what this lists beside the options of stencils and of systems alike.
void require_no_parameters(const EvolveOptions& options,
                           std::initializer_list<RestartOption> others);

/// A line for a snapshot.
void say_step(Index step, double time);
/// How fast the steps were taken, how many, and of which time.
void add_steps(Record& record, Index steps, double seconds, double dt);

/// Of a field: what steps may conserve.
struct FieldSums {
  void add(double value);
  double sum = 0, sizes = 0, squares = 0;
};
/// Changes by rounding of such sums, of a field that did not begin at 0; `of` begins their names.
void add_drift(Record& record, const std::string& of, const FieldSums& before,
               const FieldSums& now);

} // namespace ridge::app
