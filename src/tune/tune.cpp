#include <ridge/core/error.hpp>
#include <ridge/record/measure.hpp>
#include <ridge/tune/neighbours.hpp>
#include <ridge/tune/tune.hpp>

#include <algorithm>

namespace ridge::tune {

namespace {

/// Sizes whose wisdom is worth a measurement.
constexpr std::size_t most_near = 3;

bool was_measured(const Found& found, const std::string& schedule) {
  return std::any_of(found.trials.begin(), found.trials.end(),
                     [&](const Trial& t) { return t.schedule == schedule; });
}

} // namespace

Stopwatch stopwatch_of(std::unique_ptr<Program> program) {
  const std::shared_ptr<Program> shared = std::move(program);
  const auto clock = std::make_shared<LaunchClock>(shared->queue(), [shared] { shared->run(); });
  return [clock] { return clock->next().value; };
}

void prepare(const Device& device, const std::vector<std::string>& schedules,
             const std::function<void(const std::string& schedule)>& bind) {
  std::vector<launch::Demand> demands;
  for (const std::string& schedule : schedules) {
    try {
      const launch::AheadOnly only;
      bind(schedule);
    } catch (const launch::NotAhead& lacking) {
      if (lacking.demand()) demands.push_back(*lacking.demand());
    } catch (const Error&) { // it is measured, and says so, later
    }
  }
  if (demands.size() > 1) launch::prepare(device, demands);
}

Tuned tune(const Question& question, Ground ground, std::string_view pattern, DeviceKind kind,
           const std::string& standard, SearchOptions options, Wisdom& wisdom) {
  if (!may_tune()) throw UsageError("RIDGE_TUNE=off: nothing is tuned; unset it");
  if (!ground.around)
    ground.around = [&](const std::string& s) { return neighbours(pattern, kind, s); };
  if (!ground.cost && question.cost)
    ground.cost = [&](const std::string& s) { return question.cost(s, question.key.size); };
  const auto before = wisdom.find(id_of(question.key));
  if (before) options.known.push_back(before->schedule);
  const auto near = wisdom.near(question.key);
  for (std::size_t i = 0; i < std::min(most_near, near.size()); ++i)
    options.known.push_back(near[i]->schedule);

  Tuned tuned{search(ground, standard, options), false, {}};
  const Found& found = tuned.found;
  // Stopped at once, it knows less than what it would replace.
  const bool knows_more =
      before ? was_measured(found, before->schedule) : found.measured > 1 || found.space <= 1;
  if (!knows_more) return tuned;
  try {
    wisdom.keep({question.key, found.best.schedule, found.best.seconds, found.gain.value});
    tuned.kept = true;
  } catch (const Failure& failure) {
    tuned.not_kept = failure.what();
  }
  return tuned;
}

} // namespace ridge::tune
