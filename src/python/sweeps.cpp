#include "sweeps.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/recording.hpp>

#include "../core/refuse.hpp"
#include "offered.hpp"
#include "stepping.hpp"

#include <chrono>

namespace nb = nanobind;

namespace ridge::python {

namespace {

/// The arrays of a call, and its numbers.
RunningSweeps::Arrays given(const Call& call) {
  return {call.arrays.all, call.numbers, {call.arrays.storage, call.arrays.wide}};
}

} // namespace

Sweeps::Sweeps(std::string name, std::vector<std::string> arrays, std::vector<std::string> numbers,
               int rank, std::string description, std::string file, const std::string& boundary,
               const std::array<double, 3>& spacing, const std::vector<Index>& points)
    : name_(std::move(name)), arrays_(std::move(arrays)), numbers_(std::move(numbers)), rank_(rank),
      description_(std::move(description)), file_(std::move(file)),
      field_(name_, arrays_, boundary, spacing, points) {}

Sweeps::Made& Sweeps::made() {
  const std::lock_guard lock(moments());
  return made_.get();
}

const RunningSweeps::Maker& Sweeps::maker(Made& made) const {
  if (made.maker.make == nullptr)
    made.maker = offered_by<RunningSweeps::Describe>(description_, file_, name_)();
  return made.maker;
}

std::array<std::array<Index, 3>, 3> Sweeps::part() {
  const OthersMayRun others_may_run;
  Made& mine = made();
  const std::lock_guard lock(mine.guard);
  const Unforkable unforkable;
  const auto part = field_.part(maker(mine));
  const auto numbers = [](const Index3& i) { return std::array<Index, 3>{i.x, i.y, i.z}; };
  return {numbers(part.owned().begin), numbers(part.owned().end), numbers(part.grid().ranks())};
}

RunningSweeps& Sweeps::begin(Made& made, const Call& call, const std::string& schedule,
                             Turn& turn) const {
  std::string key = call.key(schedule);
  if (made.sweeps && key == made.key) {
    made.sweeps->begin(given(call));
    return *made.sweeps;
  }
  const auto part = field_.part_of(maker(made), given(call));
  made.sweeps.reset(); // its memory first
  made.recording.reset();
  made.sweeps = naming_source(file_, [&] {
    return std::make_shared<RunningSweeps>(turn.queue, field_, maker(made), given(call), part,
                                           schedule);
  });
  made.key = std::move(key);
  return *made.sweeps;
}

RunningSweeps& Sweeps::begin_in(Made& made, const std::shared_ptr<Recording>& recording,
                                const Call& call, const std::string& schedule) const {
  refuse_if(call.arrays.wide != 0,
            "{}: float32 coefficients beside arrays of 16 bits are looked at by the host, which no "
            "graph holds; run it outside of the graph",
            name_);
  made.key.clear();
  RunningSweeps& sweeps = begin(made, call, schedule, recording->turn);
  recording->kept.push_back(made.sweeps);
  made.recording = recording;
  made.key.clear(); // the next call begins others
  return sweeps;
}

void Sweeps::run(nb::tuple arrays, nb::tuple numbers, const std::string& schedule,
                 nb::object device, Index steps) {
  int levels = 1;
  {
    const OthersMayRun others_may_run;
    Made& mine = made();
    const std::lock_guard lock(mine.guard);
    const Unforkable unforkable;
    levels = maker(mine).levels;
  }
  const Call call =
      look_at_call({name_, arrays_, numbers_, rank_, 0, static_cast<std::size_t>(levels), true,
                    static_cast<std::size_t>(levels)},
                   std::move(arrays), std::move(numbers), std::move(device));
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(call.arrays.device, call.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  Made& mine = made();
  const std::lock_guard lock(mine.guard);
  const Unforkable unforkable; // programs are bound as sweeps go on
  const auto recording = recording_on(turn);
  std::optional<Binding> binding; // passes are bound as steps are given
  if (recording) binding.emplace(turn.queue);
  // A graph has sweeps of its own, whose memory nobody else uses.
  RunningSweeps& sweeps =
      recording ? begin_in(mine, recording, call, schedule) : begin(mine, call, schedule, turn);
  mine.steps = 0;
  mine.seconds = 0;
  const auto back = [&] {
    sweeps.give_back(given(call));
    if (!turn.queue.device().is_gpu()) turn.queue.wait();
  };
  try {
    take(mine, turn, steps);
  } catch (...) { // Ctrl-C: nothing that was computed is lost
    back();
    throw;
  }
  back();
}

void Sweeps::take(Made& made, Turn& turn, Index steps) const {
  using Clock = std::chrono::steady_clock;
  const bool queued = turn.queue.device().is_gpu();
  take_steps(made.steps, steps, [&](Index now) {
    const auto begin = Clock::now();
    made.sweeps->run(now);
    if (!queued) turn.queue.wait();
    const double mine = std::chrono::duration<double>(Clock::now() - begin).count();
    // Ranks take as many steps at once: passes of several are composed of them.
    comm::Communicator& ranks = field_.ranks();
    const double took = ranks.ranks() > 1 ? ranks.greatest(mine) : mine;
    if (!queued) made.seconds += took;
    return took;
  });
}

Index Sweeps::steps() {
  return made().steps;
}

std::string Sweeps::record() {
  const OthersMayRun others_may_run;
  Made& mine = made();
  const std::lock_guard lock(mine.guard);
  if (!mine.sweeps) throw UsageError(name_ + " was not run yet");
  Record record = mine.sweeps->record();
  // A pass of several sweeps is one launch.
  const double launches =
      static_cast<double>(mine.steps) / static_cast<double>(mine.sweeps->sweeps_at_once());
  add_steps(record, Seconds{mine.seconds > 0 ? mine.seconds / launches : 0}, mine.steps);
  return to_json(record);
}

} // namespace ridge::python
