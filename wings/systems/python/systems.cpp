#include "systems.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/recording.hpp>

#include "python/offered.hpp"
#include "python/options.hpp"
#include "python/stepping.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

namespace nb = nanobind;
using namespace nb::literals;

namespace ridge::python {

Systems::Systems(std::string name, std::vector<std::string> arrays,
                 std::vector<std::string> numbers, int rank, int states, std::string description,
                 std::string file, std::string boundary, const std::array<double, 3>& spacing)
    : name_(std::move(name)), arrays_(std::move(arrays)), numbers_(std::move(numbers)), rank_(rank),
      states_(static_cast<std::size_t>(states)), description_(std::move(description)),
      file_(std::move(file)), boundary_(std::move(boundary)), spacing_(spacing) {
  try {
    System::check_walls(boundary_, arrays_, rank_);
  } catch (const UsageError& e) {
    const std::string message = e.what();
    const std::string_view option = "--boundary"; // of the command
    throw UsageError(name_ + ": boundary" +
                     message.substr(message.starts_with(option) ? option.size() : 0));
  }
}

Systems::Made& Systems::made() {
  const std::lock_guard lock(moments());
  return made_.get();
}

System& Systems::begin(Made& made, const Call& call, const std::string& schedule, Turn& turn,
                       const Tables& by_step) const {
  std::string key = call.key(schedule);
  if (!made.system || key != made.key || !by_step.empty()) { // tables begin with a system
    const std::vector<Array>& given = call.arrays.all;
    check_shapes(name_, arrays_, given, 3, true);
    check_memory(name_, arrays_, given, {0, states_}, false);
    made.system.reset(); // its memory first
    naming_source(file_, [&] {
      if (made.describe == nullptr)
        made.describe = &offered_by<System::Describe>(description_, file_, name_);
      System::Arrays arrays{arrays_, {}, given.front().element_bytes, call.arrays.wide};
      for (const Array& array : given)
        arrays.views.push_back(view_of<std::byte>(array));
      const auto kernel =
          System::described(*made.describe, call.numbers, call.arrays.storage, call.arrays.wide);
      System::Options options{boundary_, spacing_, schedule, {}};
      for (const auto& [number, values] : by_step)
        options.by_step.push_back({number, values});
      made.system = std::make_unique<System>(turn.queue, kernel, std::move(arrays), options);
    });
    made.key = by_step.empty() ? std::move(key) : std::string();
  }
  made.system->begin();
  return *made.system;
}

void Systems::run(nb::tuple arrays, nb::tuple numbers, const std::string& schedule,
                  nb::object device, Index steps, const Tables& by_step) {
  const Call call = look_at_call({name_, arrays_, numbers_, rank_, 0, states_, true, states_},
                                 std::move(arrays), std::move(numbers), std::move(device));
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(call.arrays.device, call.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  Made& mine = made();
  const std::lock_guard lock(mine.guard);
  const Unforkable unforkable;
  if (recording_on(turn)) {
    throw UsageError(name_ + ": runs of systems wait for the device, which no graph can hold; call "
                             "it outside of the graph");
  }
  System& system = begin(mine, call, schedule, turn, by_step);
  mine.steps = 0;
  mine.seconds = 0;
  try {
    take(mine, steps);
  } catch (...) { // Ctrl-C: nothing that was computed is lost
    system.give_back(states_);
    throw;
  }
  system.give_back(states_);
}

void Systems::take(Made& made, Index steps) const {
  using Clock = std::chrono::steady_clock;
  take_steps(made.steps, steps, [&](Index now) {
    const auto begin = Clock::now();
    made.system->run(now);
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    made.seconds += took;
    return took;
  });
}

Index Systems::steps() {
  return made().steps;
}

std::string Systems::record() {
  const OthersMayRun others_may_run;
  Made& mine = made();
  const std::lock_guard lock(mine.guard);
  if (!mine.system) throw UsageError(name_ + " was not run yet");
  Record record = mine.system->record();
  const Seconds step{mine.seconds > 0 ? mine.seconds / static_cast<double>(mine.steps) : 0};
  add_steps(record, step, mine.steps);
  return to_json(record);
}

} // namespace ridge::python

namespace ridge::wings::python {

void systems(nb::module_& m);

void systems(nb::module_& m) {
  using ridge::python::Systems, ridge::python::text_of, ridge::python::whole_of;
  nb::class_<Systems>(m, "Systems")
      .def(nb::init<std::string, std::vector<std::string>, std::vector<std::string>, int, int,
                    std::string, std::string, std::string, const std::array<double, 3>&>(),
           "name"_a, "arrays"_a, "numbers"_a, "rank"_a, "states"_a, "description"_a, "file"_a,
           "boundary"_a, "spacing"_a)
      .def(
          "run",
          [](Systems& systems, nb::tuple arrays, nb::tuple numbers, nb::object schedule,
             nb::object device, nb::object steps, const Systems::Tables& by_step) {
            const std::string& name = systems.name();
            systems.run(std::move(arrays), std::move(numbers), text_of(name, "schedule", schedule),
                        std::move(device), whole_of(name, "steps", steps, 1), by_step);
          },
          "arrays"_a, "numbers"_a, "schedule"_a.none(), "device"_a.none(), "steps"_a.none(),
          "by_step"_a)
      .def("steps", &Systems::steps)
      .def("record", &Systems::record);
}

} // namespace ridge::wings::python
