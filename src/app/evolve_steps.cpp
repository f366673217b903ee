#include "evolve_steps.hpp"

#include <ridge/core/error.hpp>

#include "../core/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ridge::app {

namespace {

constexpr Index most_steps = 9'999'999'999; // names of snapshots have ten digits

} // namespace

StepPlan plan_steps(const EvolveOptions& options, Index step,
                    const std::optional<StepPlan>& before) {
  if (options.steps && *options.steps < 1)
    throw UsageError(fmt::format("--steps {}: at least 1 is needed", *options.steps));
  if (options.every && *options.every < 1)
    throw UsageError(fmt::format("--every {}: at least 1 is needed", *options.every));
  if (options.steps && *options.steps > most_steps - step) {
    throw UsageError(fmt::format("--steps {}: a run has at most {} steps{}", *options.steps,
                                 most_steps,
                                 step == 0 ? "" : fmt::format(", and {} are taken", step)));
  }
  StepPlan plan;
  plan.target = options.steps ? step + *options.steps : before ? before->target : 1000;
  refuse_if(plan.target <= step, "the run in {} has all its {} steps; give --steps to go further",
            options.restart, step);
  plan.every = options.every ? *options.every
               : before      ? before->every
                             : std::max<Index>(1, plan.target / 10);
  return plan;
}

std::optional<double> parse_dt(const std::string& text) {
  if (text.empty() || text == "auto") return std::nullopt;
  double dt = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), dt);
  refuse_if(status != std::errc{} || end != text.data() + text.size() || !(dt > 0) ||
                !std::isfinite(dt),
            "--dt '{}': a positive number or auto is right", text);
  return dt;
}

void require_stable(double dt, double stable, const std::string& kernel) {
  refuse_if(stable > 0 && dt > stable * (1 + 1e-12),
            "--dt {:g} is not stable; the largest stable step of {} here is {:.9g}", dt, kernel,
            stable);
}

void require_no_parameters(const EvolveOptions& o, std::initializer_list<RestartOption> others) {
  const std::string start = "a snapshot";
  require_none_given({{!o.kernel.empty() || !o.input.empty(), "KERNEL INPUT"},
                      {!o.dt.empty(), "--dt"},
                      {!o.boundary.empty(), "--boundary"},
                      {!o.spacing.empty(), "--spacing"},
                      {!o.absorb.empty() || o.absorb_width, "--absorb"},
                      {!o.settings.empty(), "--set"},
                      {!o.store_as.empty(), "--store-as"}},
                     start);
  require_none_given(others, start);
}

void say_step(Index step, double time) {
  fmt::print("step {:>10}  time {:g}\n", step, time);
  std::fflush(stdout);
}

void add_steps(Record& record, Index steps, double seconds, double dt) {
  set_rate(record, steps, seconds,
           static_cast<double>(record.work.read.value + record.work.written.value), "B/s");
  record.details.push_back({"steps", static_cast<double>(steps), ""});
  record.details.push_back({"dt", dt, ""});
}

void FieldSums::add(double value) {
  sum += value;
  sizes += std::abs(value);
  squares += value * value;
}

void add_drift(Record& record, const std::string& of, const FieldSums& before,
               const FieldSums& now) {
  record.details.push_back({of + "sum_drift", (now.sum - before.sum) / before.sizes, ""});
  record.details.push_back(
      {of + "squares_drift", (now.squares - before.squares) / before.squares, ""});
}

} // namespace ridge::app
