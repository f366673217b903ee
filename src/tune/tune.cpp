#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/record/measure.hpp>
#include <ridge/tune/tune.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace ridge::tune {

namespace {

/// Sizes whose wisdom is worth a measurement.
constexpr std::size_t most_near = 3;

bool was_measured(const Found& found, const std::string& schedule) {
  return std::any_of(found.trials.begin(), found.trials.end(),
                     [&](const Trial& t) { return t.schedule == schedule; });
}

/// What schedules need compiled, and what of it is.
class Compilations {
public:
  Compilations(Device device, std::function<void(const std::string&)> bind)
      : device_(std::move(device)), bind_(std::move(bind)) {}

  [[nodiscard]] bool are_done(const std::string& schedule) {
    const auto& demand = demand_of(schedule);
    return !demand || done_.contains(name_of(*demand));
  }
  /// What fails is done, too: binding says why.
  void run(const std::vector<std::string>& schedules) {
    std::vector<launch::Demand> wanted;
    for (const std::string& s : schedules) {
      const auto& demand = demand_of(s);
      if (demand && done_.insert(name_of(*demand)).second) wanted.push_back(*demand);
    }
    launch::prepare(device_, wanted);
  }

private:
  static std::string name_of(const launch::Demand& d) { return d.definitions + d.instantiation; }

  /// Nothing where the schedule needs none, or cannot run at all.
  const std::optional<launch::Demand>& demand_of(const std::string& schedule) {
    auto [at, is_new] = known_.try_emplace(schedule);
    if (!is_new) return at->second;
    try {
      const launch::AheadOnly only;
      bind_(schedule);
    } catch (const launch::NotAhead& lacking) {
      at->second = lacking.demand();
    } catch (const Error&) { // it is measured, and says so, later
    }
    return at->second;
  }

  Device device_;
  std::function<void(const std::string&)> bind_;
  std::map<std::string, std::optional<launch::Demand>> known_;
  std::set<std::string> done_;
};

/// Gives a ground what it needs to compile ahead of binding: `ready` and `prepare`.
void compile_together(Ground& ground, const Device& device,
                      std::function<void(const std::string& schedule)> bind) {
  const auto compilations = std::make_shared<Compilations>(device, std::move(bind));
  ground.ready = [compilations](const std::string& s) { return compilations->are_done(s); };
  ground.prepare = [compilations](const auto& schedules) { compilations->run(schedules); };
  ground.together = std::clamp(cpu::default_threads(), 4, 16);
}

} // namespace

Stopwatch stopwatch_of(std::unique_ptr<Program> program) {
  const std::shared_ptr<Program> shared = std::move(program);
  const auto clock = std::make_shared<LaunchClock>(shared->queue(), [shared] { shared->run(); });
  return [clock] { return clock->next().value; };
}

Tuned tune(const Question& question, const Menu& menu, Ground ground, SearchOptions options,
           Wisdom& wisdom) {
  if (!may_tune()) throw UsageError("RIDGE_TUNE=off: nothing is tuned; unset it");
  if (!ground.ready && question.require)
    compile_together(ground, menu.place().device, question.require);
  if (ground.space.empty()) ground.space = menu.space();
  if (!ground.around) ground.around = [&](const std::string& s) { return menu.around(s); };
  if (!ground.cost && question.cost)
    ground.cost = [&](const std::string& s) { return question.cost(s, question.key.size); };
  for (std::string& s : menu.starts())
    if (!ground.ready || ground.ready(s)) options.known.push_back(std::move(s));
  const auto before = wisdom.find(id_of(question.key));
  if (before) options.known.push_back(before->schedule);
  const auto near = wisdom.near(question.key);
  for (std::size_t i = 0; i < std::min(most_near, near.size()); ++i)
    options.known.push_back(near[i]->schedule);

  Tuned tuned{search(ground, menu.parse("auto").text, options), false, {}};
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
