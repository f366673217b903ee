// The schedule of a call from wisdom, and tuning it, in C++.
//
//   #include <ridge/tune/stencil.hpp>
//   const auto schedule = ridge::tune::automatic(queue, call);
//   ridge::Program program(queue, call, schedule);
//
// Include the header of the call's pattern, which includes this one.
#pragma once

#include <ridge/core/named.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/pattern/menu.hpp>
#include <ridge/tune/tune.hpp>

#include <memory>
#include <string>
#include <utility>

namespace ridge::tune {

template <class Call>
using ScheduleOf = typename Pattern<Call>::Schedule;

/// A schedule's full text as the pattern's struct.
template <class Call>
[[nodiscard]] ScheduleOf<Call> held_from(const std::string& schedule, const Device& device) {
  return text::parse_held<ScheduleOf<Call>>(schedule, device.kind() != DeviceKind::cpu);
}

/// The question that wisdom is asked for a call. `kernel` is the name that messages and the file
/// have; empty: its type. The question must not outlive queue, call and menu.
template <class Call>
[[nodiscard]] Question question_of(Queue& queue, const Call& call, const Menu& menu,
                                   const std::string& kernel = "") {
  return {
      key_of(queue.device(), subject_of(call, kernel)),
      [&](const std::string& schedule, const Extents& size) { return menu.cost(schedule, size); },
      [&](const std::string& schedule) {
        (void)Program(queue, call, held_from<Call>(schedule, queue.device()));
      }};
}

/// The schedule from wisdom for this kernel, device and size; else that of the nearest size, where
/// it is better than the default as far as the model says; else the default. Wisdom that cannot be
/// used is said on standard error, once.
template <class Call>
[[nodiscard]] ScheduleOf<Call> automatic(Queue& queue, const Call& call,
                                         const std::string& kernel = "") {
  const auto menu = menu_of(call, Place{queue.device()});
  const Choice choice = choose(question_of(queue, call, *menu, kernel));
  if (!choice.note.empty()) say_once(choice.note);
  return held_from<Call>(menu->parse(choice.schedule).text, queue.device());
}

/// A schedule that was tuned for.
template <class Schedule>
struct TunedCall {
  Schedule schedule;
  Tuned tuned; ///< not measured where RIDGE_TUNE=off
};

/// Searches the fastest schedule for a call, by launching it: its results are written over and
/// over. Keeps it in wisdom. Where RIDGE_TUNE=off nothing is measured and the schedule is
/// `automatic`'s. Wisdom that cannot be kept is said on standard error. Results are not checked:
/// schedules give the same up to rounding, as the library's tests show for its executors.
template <class Call>
[[nodiscard]] TunedCall<ScheduleOf<Call>> tune(Queue& queue, const Call& call, Seconds budget,
                                               const std::string& kernel = "",
                                               SearchOptions options = {}) {
  const Device& device = queue.device();
  if (!may_tune()) return {automatic(queue, call, kernel), {}};
  const auto menu = menu_of(call, Place{device});
  Ground ground;
  ground.bind = [&](const std::string& schedule) {
    return stopwatch_of(std::make_unique<Program>(queue, call, held_from<Call>(schedule, device)));
  };
  options.budget = budget.value;
  const Question question = question_of(queue, call, *menu, kernel);
  Tuned tuned = tune(question, *menu, std::move(ground), std::move(options));
  if (!tuned.not_kept.empty()) say_once(tuned.not_kept);
  auto schedule = held_from<Call>(tuned.found.best.schedule, device);
  return {std::move(schedule), std::move(tuned)};
}

} // namespace ridge::tune
