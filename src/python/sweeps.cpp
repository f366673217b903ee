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
               std::string file, const std::string& boundary, const std::array<double, 3>& spacing,
               const std::vector<Index>& points)
    : name_(std::move(name)), arrays_(std::move(arrays)), rank_(rank),
      description_(std::move(description)), file_(std::move(file)),
      boundaries_(stencil::parse_boundaries(boundary)) {
  boundaries_.spacing = {spacing[0], spacing[1], spacing[2]};
  if (!points.empty()) points_ = Extents(points.data(), static_cast<int>(points.size())).xyz();
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

comm::Communicator& Sweeps::ranks() const {
  static const auto this_process = comm::alone();
  return points_ ? comm::world() : *this_process;
}

stencil::RankPart Sweeps::place(Index3 points) {
  return {ranks(), points_.value_or(points), maker().traits, boundaries_};
}

std::pair<std::array<Index, 3>, std::array<Index, 3>> Sweeps::owned() {
  const OthersMayRun others_may_run;
  const std::lock_guard lock(guard_);
  const stencil::RankPart part = place({});
  const Index3 a = part.owned().begin;
  const Index3 b = part.owned().end;
  return {{a.x, a.y, a.z}, {b.x, b.y, b.z}};
}

void Sweeps::require_owned(const Array& array, const stencil::RankPart& place) const {
  const Index3 has = view_of<char>(array).extents;
  const Index3 owns = place.owned().extents();
  if (has == owns) return;
  const auto text = [](Index3 n) { return to_text(Extents{n.x, n.y, n.z}); };
  throw UsageError(name_ + ": an array of " + text(has) + " points (x first); rank " +
                   std::to_string(ranks().rank()) + " of " + std::to_string(ranks().ranks()) +
                   " owns " + text(owns) + " of " + text(place.grid().points()));
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
  const stencil::RankPart part = place(view_of<char>(arguments.arrays.front()).extents);
  require_owned(arguments.arrays.front(), part);
  sweeps_.reset(); // its memory first
  sweeps_ =
      naming_source(file_, [&] { return maker().make(turn.queue, arguments, part, schedule); });
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
    const double mine = std::chrono::duration<double>(Clock::now() - begin).count();
    // Ranks take as many steps at once: passes of several are composed of them.
    const double took = ranks().ranks() > 1 ? ranks().greatest(mine) : mine;
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
