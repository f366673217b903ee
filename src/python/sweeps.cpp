#include "sweeps.hpp"

#include <ridge/core/error.hpp>

#include "interrupt.hpp"
#include "offered.hpp"
#include "others_may_run.hpp"

#include <algorithm>
#include <chrono>

namespace nb = nanobind;

namespace ridge::python {

namespace {

/// How long Ctrl-C may take, in seconds.
constexpr double response = 0.2;

template <class T>
void write_back(stencil::Sweeps& sweeps, const Arrays& arrays, int levels) {
  for (int level = 0; level < levels; ++level)
    sweeps.read(level, view_of<T>(arrays.all[static_cast<std::size_t>(level)]));
}

} // namespace

Sweeps::Sweeps(std::string name, std::vector<std::string> arrays, int rank, std::string description,
               std::string file, const std::string& boundary, const std::array<double, 3>& spacing)
    : name_(std::move(name)), arrays_(std::move(arrays)), rank_(rank),
      description_(std::move(description)), file_(std::move(file)),
      boundaries_(stencil::parse_boundaries(boundary)) {
  boundaries_.spacing = {spacing[0], spacing[1], spacing[2]};
  for (const auto& axis : boundaries_.faces) {
    for (const stencil::Condition& c : axis) {
      if (!c.field.empty()) {
        throw UsageError(name_ + ": the boundary dirichlet:" + c.field +
                         " names a file, which `ridge evolve` reads; here a number is right");
      }
    }
  }
}

const SweepsMaker& Sweeps::maker() {
  if (made_.make == nullptr) made_ = offered_by<DescribeSweeps>(description_, file_, name_)();
  return made_;
}

stencil::Sweeps& Sweeps::begin(const Call& call, const std::string& schedule, Turn& turn) {
  const Arguments arguments{name_, call.arrays.all, call.numbers};
  std::string key = call.key(schedule);
  if (sweeps_ && key == key_) {
    if (call.arrays.all.front().element_bytes == 4) {
      sweeps_->restart(fields_of<float>(arguments));
    } else {
      sweeps_->restart(fields_of<double>(arguments));
    }
    return *sweeps_;
  }
  sweeps_.reset(); // its memory first
  sweeps_ = naming_source(
      file_, [&] { return maker().make(turn.queue, arguments, boundaries_, schedule); });
  key_ = std::move(key);
  return *sweeps_;
}

void Sweeps::run(nb::tuple arrays, nb::tuple numbers, const std::string& schedule,
                 nb::object device, Index steps) {
  if (steps < 1)
    throw UsageError(name_ + ": steps=" + std::to_string(steps) + "; at least 1 is needed");
  int levels = 1;
  {
    const OthersMayRun others_may_run;
    const std::lock_guard lock(guard_);
    levels = maker().levels;
  }
  const Call call = look_at_call({name_, arrays_, rank_, 0, static_cast<std::size_t>(levels)},
                                 std::move(arrays), std::move(numbers), std::move(device));
  const OthersMayRun others_may_run;
  Turn& turn = queue_of(call.arrays.device, call.arrays.stream);
  const std::lock_guard in_turn(turn.guard);
  const std::lock_guard lock(guard_);
  stencil::Sweeps& sweeps = begin(call, schedule, turn);
  steps_ = 0;
  seconds_ = 0;
  const auto back = [&] {
    if (call.arrays.all.front().element_bytes == 4) {
      write_back<float>(sweeps, call.arrays, levels);
    } else {
      write_back<double>(sweeps, call.arrays, levels);
    }
    if (!turn.queue.device().is_gpu()) turn.queue.wait();
  };
  try {
    take(sweeps, turn, steps);
  } catch (...) { // Ctrl-C: nothing that was computed is lost
    back();
    throw;
  }
  back();
}

void Sweeps::take(stencil::Sweeps& sweeps, Turn& turn, Index steps) {
  using Clock = std::chrono::steady_clock;
  const bool queued = turn.queue.device().is_gpu();
  for (Index batch = 1; steps_ < steps;) {
    const Index now = std::min(batch, steps - steps_);
    const auto begin = Clock::now();
    sweeps.run(now);
    if (!queued) turn.queue.wait();
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    steps_ += now;
    if (!queued) seconds_ += took;
    if (took < response / 2) batch *= 2;
    if (took > response) batch = std::max<Index>(1, batch / 2);
    check_interrupt();
  }
}

Index Sweeps::steps() const {
  const std::lock_guard lock(guard_);
  return steps_;
}

std::string Sweeps::record() const {
  const OthersMayRun others_may_run;
  const std::lock_guard lock(guard_);
  if (!sweeps_) throw UsageError(name_ + " was not run yet");
  Record record = sweeps_->record();
  record.schedule = stencil::to_text(sweeps_->schedule());
  if (seconds_ > 0) {
    // A pass of several sweeps is one launch.
    const Index together =
        sweeps_->schedule().pass ? stencil::sweeps_of(*sweeps_->schedule().pass) : 1;
    const Seconds each{seconds_ / static_cast<double>(steps_) * static_cast<double>(together)};
    record.timing = Timing{each, each, each, 1};
    const auto bytes = static_cast<double>(record.work.read.value + record.work.written.value);
    record.achieved = Achievement{bytes / each.value, "B/s", 0, ""};
  }
  record.details.push_back({"steps", static_cast<double>(steps_), ""});
  return to_json(record);
}

} // namespace ridge::python
