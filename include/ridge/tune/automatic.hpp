// The schedule of a call from wisdom, and tuning it, in C++.
//
//   #include <ridge/tune/stencil.hpp>
//   const auto schedule = ridge::tune::automatic(queue, call);
//   ridge::Program program(queue, call, schedule);
//
// Include the header of the call's pattern, which includes this one.
#pragma once

#include <ridge/tune/space.hpp>
#include <ridge/tune/tune.hpp>

#include <memory>
#include <string>
#include <utility>

namespace ridge::tune {

/// What wisdom is asked for a call. `kernel` is the name that messages and the file have; empty:
/// its type. The question must not outlive queue and call.
template <class Call>
[[nodiscard]] Question question_of(Queue& queue, const Call& call, const std::string& kernel = "") {
  using Its = Space<Call>;
  Question q{key_of(queue.device(), Its::subject(call, kernel)), {}, {}};
  if constexpr (requires { Its::cost(queue.device(), call, kernel, Extents{}); }) {
    q.cost = [&](const std::string& schedule, const Extents& size) {
      return Its::cost(queue.device(), call, schedule, size);
    };
  }
  q.require = [&](const std::string& schedule) {
    (void)Program(queue, call, Its::parse(schedule, queue.device(), call));
  };
  return q;
}

/// The schedule from wisdom for this kernel, device and size; else that of the nearest size, where
/// it is better than the default as far as the model says; else the default. Wisdom that cannot be
/// used is said on standard error, once.
template <class Call>
[[nodiscard]] typename Space<Call>::Schedule automatic(Queue& queue, const Call& call,
                                                       const std::string& kernel = "") {
  const Choice choice = choose(question_of(queue, call, kernel));
  if (!choice.note.empty()) say_once(choice.note);
  return Space<Call>::parse(choice.schedule, queue.device(), call);
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
[[nodiscard]] TunedCall<typename Space<Call>::Schedule>
tune(Queue& queue, const Call& call, Seconds budget, const std::string& kernel = "",
     SearchOptions options = {}) {
  using Its = Space<Call>;
  const Device& device = queue.device();
  if (!may_tune()) return {automatic(queue, call, kernel), {}};
  Ground ground;
  ground.bind = [&](const std::string& schedule) {
    return stopwatch_of(std::make_unique<Program>(queue, call, Its::parse(schedule, device, call)));
  };
  const Question question = question_of(queue, call, kernel);
  compile_together(ground, device, question.require);
  for (const auto& s : Its::all(device, call))
    ground.space.push_back(text::print_held(s));
  options.budget = budget.value;
  Tuned tuned = tune(question, std::move(ground), Its::pattern, device.kind(),
                     text::print_held(Its::parse("auto", device, call)), std::move(options));
  if (!tuned.not_kept.empty()) say_once(tuned.not_kept);
  auto schedule = Its::parse(tuned.found.best.schedule, device, call);
  return {std::move(schedule), std::move(tuned)};
}

} // namespace ridge::tune
