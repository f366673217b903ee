#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/lab/tune_case.hpp>

#include "../core/refuse.hpp"

namespace ridge::lab {

namespace {

tune::Question question_of(Case& c) {
  return {tune::key_of(c.queue().device(), c.subject()),
          [&c](const std::string& schedule, const Extents& size) {
            return c.menu().cost(schedule, size);
          },
          [&c](const std::string& schedule) {
            (void)c.bind({"", schedule});
          }};
}

void require_right(Case& c, const std::string& schedule) {
  c.poison();
  c.bind({"", schedule}).run();
  const Check check = c.check();
  fail_if(!check.ok, "results under '{}' are wrong: {}", schedule, check.message);
}

} // namespace

void require_speed(const Device& device) {
  if (!facts_of(device).is_emulated) return;
  throw UsageError(to_text(device.id()) +
                   " is emulated and has no speed to tune for; tune on the cpu or a GPU");
}

std::vector<AskedSchedule> schedules_by_wisdom(Case& the_case, const std::string& asked,
                                               std::string* source) {
  if (asked != "auto") return the_case.menu().asked(asked);
  const tune::Choice choice = tune::choose(question_of(the_case));
  if (source != nullptr) *source = source_text(choice);
  if (!choice.note.empty()) tune::say_once(choice.note);
  if (choice.source == tune::Choice::Source::standard) return the_case.menu().asked(asked);
  const bool published = choice.source == tune::Choice::Source::published;
  return {{published ? "published" : "wisdom", choice.schedule}};
}

tune::Tuned tune_case(Case& the_case, const tune::SearchOptions& options) {
  require_speed(the_case.queue().device());
  tune::Ground ground;
  ground.bind = [&](const std::string& schedule) {
    return tune::stopwatch_of(std::make_unique<Program>(the_case.bind({"", schedule})));
  };
  ground.check = [&](const std::string& schedule) { require_right(the_case, schedule); };
  return tune::tune(question_of(the_case), the_case.menu(), std::move(ground), options);
}

} // namespace ridge::lab
