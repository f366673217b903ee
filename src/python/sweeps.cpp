#include "sweeps.hpp"

#include <ridge/core/error.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/recording.hpp>
#include <ridge/pattern/storage.hpp>

#include "offered.hpp"
#include "stepping.hpp"

#include <algorithm>
#include <chrono>

namespace nb = nanobind;

namespace ridge::python {

namespace {

/// Calls f with a number of the arrays' type.
template <class F>
void by_type(const Arrays& arrays, const F& f) {
  if (arrays.storage == "fp16") {
    f(Fp16{});
  } else if (arrays.storage == "bf16") {
    f(Bf16{});
  } else if (arrays.all.front().element_bytes == 4) {
    f(float{});
  } else {
    f(double{});
  }
}

} // namespace

Sweeps::Sweeps(std::string name, std::vector<std::string> arrays, std::vector<std::string> numbers,
               int rank, std::string description, std::string file, const std::string& boundary,
               const std::array<double, 3>& spacing, const std::vector<Index>& points)
    : name_(std::move(name)), arrays_(std::move(arrays)), numbers_(std::move(numbers)), rank_(rank),
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

Sweeps::Made& Sweeps::made() {
  const std::lock_guard lock(moments());
  return made_.get();
}

const SweepsMaker& Sweeps::maker(Made& made) const {
  if (made.maker.make == nullptr)
    made.maker = offered_by<DescribeSweeps>(description_, file_, name_)();
  return made.maker;
}

comm::Communicator& Sweeps::ranks() const {
  static const auto this_process = comm::alone();
  return points_ ? comm::world() : *this_process;
}

stencil::RankPart Sweeps::place(Made& made, Index3 points) const {
  return {ranks(), points_.value_or(points), maker(made).traits, boundaries_};
}

std::pair<std::array<Index, 3>, std::array<Index, 3>> Sweeps::owned() {
  const OthersMayRun others_may_run;
  Made& mine = made();
  const std::lock_guard lock(mine.guard);
  const Unforkable unforkable;
  const stencil::RankPart part = place(mine, {});
  const Index3 a = part.owned().begin;
  const Index3 b = part.owned().end;
  return {{a.x, a.y, a.z}, {b.x, b.y, b.z}};
}

void Sweeps::require_owned(const Array& array, const stencil::RankPart& place) const {
  const Index3 owns = place.owned().extents();
  if (view_of<char>(array).extents == owns) return;
  const auto text = [&](Index3 n) {
    const Index extents[3] = {n.x, n.y, n.z};
    return shape_text(extents, std::min(array.rank, 3));
  };
  throw UsageError(name_ + ": an array of shape " + shape_text(array) + "; rank " +
                   std::to_string(ranks().rank()) + " of " + std::to_string(ranks().ranks()) +
                   " owns " + text(owns) + " of " + text(place.grid().points()));
}

std::vector<Array> Sweeps::taken(Made& made, const Call& call, Turn& turn) const {
  std::vector<Array> all = call.arrays.all;
  std::vector<Array> low;
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.arrays.all.size(); ++i) {
    if ((call.arrays.wide >> i & 1U) == 0) continue;
    const View<const float> numbers = view_of<const float>(all[i]);
    const Index3 n = numbers.extents;
    const auto half = [&] {
      if (next == made.halves.size()) {
        made.halves.emplace_back(turn.queue.device(),
                                 Bytes{n.x * n.y * n.z * static_cast<Index>(sizeof(Fp16))},
                                 "the halves of " + arrays_[i]);
      }
      Array packed = all[i];
      packed.element_bytes = sizeof(Fp16);
      packed.data = made.halves[next++].data();
      Index stride = 1;
      for (int d = 0; d < packed.rank; ++d) {
        packed.strides[static_cast<std::size_t>(d)] = stride;
        stride *= packed.extents[static_cast<std::size_t>(d)];
      }
      return packed;
    };
    const Array high = half();
    low.push_back(half());
    split_numbers(turn.queue, numbers, high.data, low.back().data);
    all[i] = high;
  }
  all.insert(all.end(), low.begin(), low.end());
  return all;
}

stencil::Sweeps& Sweeps::begin(Made& made, const Call& call, const std::string& schedule,
                               Turn& turn) const {
  std::string key = call.key(schedule);
  if (made.sweeps && key == made.key) {
    const std::vector<Array> arrays = taken(made, call, turn);
    const Arguments arguments{name_, arrays, call.numbers};
    by_type(call.arrays,
            [&]<class T>(T /*type*/) { made.sweeps->restart(fields_of<T>(arguments)); });
    return *made.sweeps;
  }
  const std::span<const Array> given = call.arrays.all;
  check_shapes(name_, arrays_, given, 3, true);
  // Time levels are written at the end.
  check_memory(name_, arrays_, given, {0, static_cast<std::size_t>(maker(made).levels)}, false);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if ((call.arrays.wide >> i & 1U) != 0)
      stencil::require_at_point(maker(made).traits, i, arrays_[i], name_);
  }
  const stencil::RankPart part = place(made, view_of<char>(given.front()).extents);
  require_owned(given.front(), part);
  made.sweeps.reset(); // its memory first
  made.halves.clear();
  made.recording.reset();
  const std::vector<Array> arrays = taken(made, call, turn);
  const Arguments arguments{name_, arrays, call.numbers};
  made.sweeps = naming_source(file_, [&] {
    return maker(made).make(turn.queue, arguments, {call.arrays.storage, call.arrays.wide}, part,
                            schedule);
  });
  made.key = std::move(key);
  return *made.sweeps;
}

stencil::Sweeps& Sweeps::begin_in(Made& made, const std::shared_ptr<Recording>& recording,
                                  const Call& call, const std::string& schedule) const {
  if (call.arrays.wide != 0)
    throw UsageError(name_ + ": float32 coefficients beside arrays of 16 bits are looked at by the "
                             "host, which no graph holds; run it outside of the graph");
  made.key.clear();
  stencil::Sweeps& sweeps = begin(made, call, schedule, recording->turn);
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
  stencil::Sweeps& sweeps =
      recording ? begin_in(mine, recording, call, schedule) : begin(mine, call, schedule, turn);
  mine.steps = 0;
  mine.seconds = 0;
  const auto back = [&] {
    by_type(call.arrays, [&]<class T>(T /*type*/) {
      for (int level = 0; level < levels; ++level)
        sweeps.read(level, view_of<T>(call.arrays.all[static_cast<std::size_t>(level)]));
    });
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
    const double took = ranks().ranks() > 1 ? ranks().greatest(mine) : mine;
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
  record.schedule = stencil::to_text(mine.sweeps->schedule());
  // A pass of several sweeps is one launch.
  const auto& pass = mine.sweeps->schedule().pass;
  const double launches =
      static_cast<double>(mine.steps) / (pass ? static_cast<double>(stencil::sweeps_of(*pass)) : 1);
  add_steps(record, Seconds{mine.seconds > 0 ? mine.seconds / launches : 0}, mine.steps);
  return to_json(record);
}

} // namespace ridge::python
