// Steps of a system: launches of its chain, between which points beyond faces are set, then layers,
// sources and receivers.
#pragma once

#include <ridge/chain/schedule.hpp>
#include <ridge/chain/system/follow.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/halves.hpp>
#include <ridge/core/stored.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>

#include "face_launches.hpp"
#include "faces.hpp"
#include "matched_layers.hpp"
#include "parts.hpp"
#include "probes.hpp"
#include "row_faces.hpp"
#include "split.hpp"
#include "state_values.hpp"
#include "taps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace ridge::chain {

/// A system of numbers of one type.
template <class T>
class SystemOf final : public System::Parts {
public:
  using Number = NumberOf<T>;

  SystemOf(Queue& q, const SystemKernel& k, const SystemSetup& s) : Parts(q, k, s) {
    allocate();
    match_layers();
    bind_numbers();
    for (int p = 0; p < (swaps() ? 2 : 1); ++p)
      bind(p);
    bind_probes();
    queue.wait();
  }

  const std::byte* narrowed(const std::byte* from, Index count, int array) override {
    if constexpr (is_stored<T>) {
      const auto* const numbers = reinterpret_cast<const Number*>(from);
      narrow_.resize(static_cast<std::size_t>(count));
      if (kernel.has_halves(array)) {
        std::transform(numbers, numbers + count, narrow_.begin(),
                       [high = kernel.is_wide(array)](Number n) { return half_of<T>(n, high); });
        return reinterpret_cast<const std::byte*>(narrow_.data());
      }
      for (Index i = 0; i < count; ++i) {
        const T element = rounded_to<T>(numbers[i]);
        too_large += std::isinf(number_of(element)) && !std::isinf(numbers[i]) ? 1 : 0;
        narrow_[static_cast<std::size_t>(i)] = element;
      }
      return reinterpret_cast<const std::byte*>(narrow_.data());
    } else {
      return from;
    }
  }
  void widen(const std::byte* elements, std::byte* to, Index count) const override {
    const auto* const from = reinterpret_cast<const T*>(elements);
    std::transform(from, from + count, reinterpret_cast<Number*>(to),
                   [](T element) { return number_of(element); });
  }

  using Parts::give_step;
  void give_step(StepPart part) override {
    Launches& l = launches_[static_cast<std::size_t>(parity)];
    if (l.split.empty()) {
      give_whole(l, part);
    } else {
      for (const SplitLaunch& launch : l.split)
        launch.run(part);
    }
    if (part != StepPart::exchange) {
      if (l.layers) l.layers.run();
      if (l.sources) l.sources.run();
    }
    if (l.recorded && part != StepPart::compute) l.recorded->run();
    if (part == StepPart::exchange) return;
    if (l.receivers) l.receivers.run();
    if (swaps()) parity = 1 - parity;
    ++step;
  }
  void settle() override { launches_[static_cast<std::size_t>(parity)].every.run(); }
  void count_from(Index slot) override {
    const Index values[2] = {step, slot};
    copy_to_device(queue, counter_.data(), values, 2);
    queue.wait();
  }
  void bring_traces(Index steps) override {
    const std::size_t receivers = setup.receivers.size();
    std::vector<std::vector<double>> rows(added_.size());
    probes_.bring(queue, steps, added_, rows);
    for (std::size_t r = 0; r < receivers; ++r)
      traces[r].insert(traces[r].end(), rows[r].begin(), rows[r].end());
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const bool first = !setup.part || setup.part->ranks->rank() == 0;
      std::vector<double> whole(static_cast<std::size_t>(steps), first ? setup.sums[s].add : 0);
      for (std::size_t r = 0; r < pieces_.size(); ++r) {
        for (std::size_t i = 0; i < whole.size() && pieces_[r].sum == s; ++i)
          whole[i] += rows[receivers + r][i];
      }
      sums[s].insert(sums[s].end(), whole.begin(), whole.end());
    }
  }

  [[nodiscard]] System::Sent sent() const override {
    System::Sent all;
    const auto add = [&](const comm::Exchange* exchange) {
      if (exchange == nullptr) return;
      all.bytes.value += exchange->sent().value;
      all.carrier = comm::to_text(exchange->carrier());
    };
    for (const SplitLaunch& launch : launches_[0].split)
      add(launch.exchange.get());
    for (const auto& [first, faces] : launches_[0].before)
      add(faces.exchange.get());
    add(launches_[0].recorded.get());
    return all;
  }

  [[nodiscard]] Record record() const override { return launches_[0].program->record(); }

  [[nodiscard]] Index odd_numbers() override { return state_.odd_numbers(*this); }
  [[nodiscard]] double fastest_flow() override { return state_.fastest_flow(*this); }
  void follow(double dt) override {
    const double factor = dt / setup.dt;
    copy_to_device(queue, factor_.data(), &factor, 1);
    queue.wait();
  }

  [[nodiscard]] System::Remembered remembered() const override {
    if (!matched_) return {};
    return {matched_->kept().data(), matched_->kept().size()};
  }
  void pass_layers(int operation) override {
    if (matched_) matched_->run(operation);
  }

private:
  /// Some arrays whose faces are set in one launch, behind what other ranks send.
  struct Faces {
    Bound bound;
    std::unique_ptr<comm::Exchange> exchange;
    std::vector<Bound> free; ///< velocities beyond free faces

    void run(StepPart part = StepPart::all) const {
      if (exchange && part != StepPart::compute) exchange->run();
      if (bound && part != StepPart::exchange) bound.run();
      for (const Bound& face : free)
        if (part != StepPart::exchange) face.run();
    }
  };
  /// A step's launches, from arrays as they are after an even or odd number of steps.
  struct Launches {
    std::map<int, Faces> before; ///< by the first operation of a launch
    std::map<int, RowFaces<T>> rows;
    std::vector<SplitLaunch> split; ///< all launches, where they are split
    Faces every;
    std::optional<Program> program;
    Bound layers, sources, receivers;
    std::unique_ptr<comm::Exchange> recorded; ///< what receivers read of other ranks
  };

  /// Launches that wait for exchanges.
  void give_whole(Launches& l, StepPart part) {
    if (part == StepPart::exchange) {
      for (const auto& [first, faces] : l.before)
        faces.run(part);
      return;
    }
    part_ = part;
    l.program->run();
    pass_layers(chain.last());
    part_ = StepPart::all;
  }

  [[nodiscard]] T* memory(int a, int p) const {
    return static_cast<T*>(memories[static_cast<std::size_t>(memory_of(a, p))].data());
  }

  void allocate() {
    for (int a = 0; a < arrays(); ++a) {
      memories.emplace_back();
      if (!has_memory(a)) continue;
      const Bytes bytes{layout(a).elements * static_cast<Index>(sizeof(T))};
      memories.back() = Memory(queue.device(), bytes, fmt::format("'{}'", array(a).name));
      fill_bytes(queue, memories.back().data(), 0, bytes);
    }
  }

  void match_layers() {
    if (matched_faces(kernel, setup).empty()) return;
    if (plan.groups.size() != chain.operations.size()) {
      throw UsageError(
          fmt::format("layers of cpml follow each operation; schedule '{}' joins them, "
                      "and fuse=none is right",
                      setup.schedule));
    }
    if constexpr (!is_stored<T>) {
      matched_ = std::make_unique<MatchedLayers<T>>(queue, kernel, setup, layouts,
                                                    [this](int a) { return memory(a, 0); });
    }
  }

  /// Those of `rows_set` are set at the ends of z alone.
  [[nodiscard]] Faces faces_of_all(const std::vector<int>& of, int p,
                                   const std::vector<bool>& rows_set = {}) {
    std::vector<BeyondArray<T>> all;
    Index most = 0;
    for (const int a : of) {
      // Swapped arrays lie alike.
      all.push_back(beyond_of({a}, p).front());
      all.back().shell.ends_of_z = !rows_set.empty() && rows_set[static_cast<std::size_t>(a)];
      most = std::max(most, all.back().shell.count());
      if (all.back().shell.count() == 0) all.pop_back();
    }
    Faces made;
    made.exchange = exchange_of(of, p, [&](int a) {
      const Reach r = reach_of_all(chain, a);
      return box_around({-r.low.x, -r.low.y, -r.low.z}, {r.high.x, r.high.y, r.high.z});
    });
    made.bound = bind_faces(queue, all, most);
    const bool moves =
        kernel.free_faces && std::ranges::count(of, kernel.free_faces->velocities[0]) > 0;
    for (std::size_t i = 0; i < without_traction.size() && moves; ++i)
      made.free.push_back(bind_free(without_traction[i][0], without_traction[i][1], p));
    return made;
  }
  [[nodiscard]] Bound bind_free(int axis, int side, int p) {
    if constexpr (is_stored<T>) {
      return {};
    } else {
      const auto lies = [&](int a) { return place_of(memory(a, p), layout(a)); };
      const FreeFace<T> face = free_face_of<T>(*kernel.free_faces, setup, axis, side, lies);
      free_faces_.emplace_back(queue, std::vector<FreeFace<T>>{face}, "a free face");
      return bind_on_faces(queue, free_faces_.back(), face.points());
    }
  }
  /// Sets points in shells of at most so many, on a queue.
  [[nodiscard]] Bound bind_faces(Queue& on, const std::vector<BeyondArray<T>>& all, Index most) {
    if (all.empty()) return {};
    shells_.emplace_back(queue, all, "rules for faces");
    return bind_on_faces(on, shells_.back(), most);
  }

  /// A launch whose arrays `needed` have changed since others read them.
  [[nodiscard]] SplitLaunch split_launch(const GroupPlan& group, const std::vector<int>& needed,
                                         int p) {
    Faces faces = faces_of_all(needed, p);
    SplitLaunch made;
    made.faces = std::move(faces.bound);
    made.exchange = std::move(faces.exchange);
    const comm::Box whole{{0, 0, 0}, setup.extents};
    const comm::Division parts =
        needed.empty() ? comm::Division{whole, {}} : divided(group, needed);
    if (!parts.inner.empty()) made.inner.emplace(bind_box(queue, group.first, parts.inner, p));
    if (!made.exchange) return made;
    Queue& beside = made.exchange->queue();
    std::vector<BeyondArray<T>> of_halos;
    Index most = 0;
    for (const BeyondArray<T>& array : beyond_of(needed, p)) {
      for (const BeyondArray<T>& one : halo_faces_of(array, *setup.part)) {
        of_halos.push_back(one);
        most = std::max(most, one.shell.count());
      }
    }
    made.halo_faces = bind_faces(beside, of_halos, most);
    for (const comm::Box& box : parts.outer)
      made.outer.push_back(bind_box(beside, group.first, box, p));
    return made;
  }
  /// A box of items in the launch that begins with an operation.
  [[nodiscard]] Program bind_box(Queue& on, int first, const comm::Box& box, int p) {
    SystemStep one = whole_step(p);
    one.first = first;
    one.extents = box.extents();
    if (one.whole.x > 0) {
      one.begin = {one.begin.x + box.begin.x, one.begin.y + box.begin.y, one.begin.z + box.begin.z};
    }
    for (int a = 0; a < arrays(); ++a) {
      ArrayAt& at = one.arrays[static_cast<std::size_t>(a)];
      if (at.data != nullptr) {
        at.data =
            static_cast<T*>(at.data) + box.begin.x + box.begin.y * at.row + box.begin.z * at.plane;
      }
    }
    // Tiles are no larger than the box.
    auto& gpu = std::get<GpuSchedule>(one.schedule);
    gpu.tile.x = std::min(gpu.tile.x, one.extents.x);
    gpu.tile.y = std::min(gpu.tile.y, one.extents.y);
    gpu.tile.z = std::min(gpu.tile.z, one.extents.z);
    return kernel.bind(on, setup.element_bytes, one);
  }
  [[nodiscard]] SystemStep whole_step(int p) const {
    SystemStep one;
    one.dt = setup.dt;
    one.spacing = setup.spacing;
    one.extents = setup.extents;
    one.schedule = schedule;
    one.numbers = numbers_;
    if (setup.part && kernel.asks_places) one.begin = setup.begin(), one.whole = setup.whole();
    for (int a = 0; a < arrays(); ++a) {
      const ArrayLayout& at = layout(memory_of(a, p));
      one.arrays.push_back(has_memory(a) ? ArrayAt{memory(a, p) + at.before, at.row, at.plane}
                                         : ArrayAt{});
    }
    return one;
  }

  /// The exchange of arrays with what `reach` says; none on one rank.
  template <class F>
  [[nodiscard]] std::unique_ptr<comm::Exchange> exchange_of(const std::vector<int>& of, int p,
                                                            const F& reach) {
    if (!setup.part || of.empty()) return {};
    const Index3 begin = setup.begin();
    const auto beyond = [&](int d) {
      return Index{chain.dimensions[static_cast<std::size_t>(d)].beyond};
    };
    const Index3 b{beyond(0), beyond(1), beyond(2)};
    std::vector<comm::PaddedField> fields;
    for (const int a : of) {
      const ArrayLayout& at = layout(memory_of(a, p));
      const Index3& n = at.points;
      fields.push_back({{memory(a, p) + at.before - b.x - b.y * at.row - b.z * at.plane,
                         {n.x + 2 * b.x, n.y + 2 * b.y, n.z + 2 * b.z},
                         at.row,
                         at.plane,
                         static_cast<int>(sizeof(T))},
                        {begin.x - b.x, begin.y - b.y, begin.z - b.z},
                        reach(a)});
    }
    auto made = std::make_unique<comm::Exchange>(*setup.part->ranks, queue, setup.part->grid,
                                                 std::move(fields));
    recordable = recordable && made->can_be_recorded();
    return made;
  }
  [[nodiscard]] std::vector<BeyondArray<T>> beyond_of(const std::vector<int>& of, int p) const {
    std::vector<BeyondArray<T>> all;
    for (const int a : of)
      all.push_back(faces_of<T>(kernel, setup, a, layout(memory_of(a, p)), memory(a, p)));
    return all;
  }
  /// True if an operation changes the array, or what comes at the end of a step may.
  [[nodiscard]] bool changes(int a) const { return kernel.is_state(a); }

  void bind(int p) {
    Launches& l = launches_[static_cast<std::size_t>(p)];
    std::vector<bool> stale(static_cast<std::size_t>(arrays()));
    // Rows are set as they are computed, unless something changes them at the end of the step.
    std::vector<bool> rows_set(static_cast<std::size_t>(arrays()),
                               waves && !setup.layers.rub() && setup.sources.empty());
    std::vector<int> all;
    std::vector<int> kept; // between steps
    for (int a = 0; a < arrays(); ++a) {
      stale[static_cast<std::size_t>(a)] = changes(a);
      if (!has_memory(a) || reach_of_all(chain, a) == Reach{}) continue;
      all.push_back(a);
      if (!kernel.is_next(a)) kept.push_back(a);
    }
    l.every = faces_of_all(kept, p);
    for (const GroupPlan& group : plan.groups) {
      std::vector<int> needed;
      std::vector<int> written;
      for (const int a : all) {
        bool read = false;
        for (int op = group.first; op <= group.last; ++op)
          read = read || crosses(op, a);
        if (!read || !stale[static_cast<std::size_t>(a)]) continue;
        needed.push_back(a);
        stale[static_cast<std::size_t>(a)] = false;
      }
      for (const int a : all) {
        if (!chain.written_in(group.first, group.last, a)) continue;
        stale[static_cast<std::size_t>(a)] = true;
        written.push_back(a);
      }
      if (splits()) {
        l.split.push_back(split_launch(group, needed, p));
      } else if (!needed.empty()) {
        l.before.emplace(group.first, faces_of_all(needed, p, rows_set));
      }
      if (!waves) continue;
      l.rows.emplace(group.first, RowFaces<T>(beyond_of(written, p)));
      for (const int a : written)
        rows_set[static_cast<std::size_t>(a)] = true;
    }
    SystemStep one = whole_step(p);
    one.before_launch = [this, &before = l.before](int first) {
      if (first > 0) pass_layers(first - 1);
      const auto faces = before.find(first);
      if (faces != before.end()) faces->second.run(part_);
    };
    if (waves) one.rows_done = rows_done(l.rows, setup);
    l.program.emplace(kernel.bind(queue, setup.element_bytes, one));
    if (setup.layers.rub()) bind_layers(p);
  }

  void bind_layers(int p) {
    Launches& l = launches_[static_cast<std::size_t>(p)];
    const int after = swaps() ? 1 - p : p;
    Layers<T> layers(queue, kernel, setup);
    for (int a = 0; a < arrays(); ++a) {
      if (kernel.is_state(a)) layers.add(a, memory(a, after), layout(memory_of(a, after)));
    }
    l.layers = layers.bind(layers_);
  }

  void bind_numbers() {
    if (setup.follows) {
      factor_ = OnDevice<double>(queue, {1}, "the factor of dt");
      always_first_ = OnDevice<Index>(queue, {0}, "a place in a table");
      numbers_.tables.emplace_back(factor_of_dt, ByStep(factor_.data(), 1, always_first_.data()));
    }
    if (!counts()) return;
    counter_ = OnDevice<Index>(queue, {step, 0}, "the step");
    for (const StepTable& table : setup.by_step) {
      check_table(table);
      tables_.emplace_back(queue, table.values, "a number for each step");
      numbers_.tables.emplace_back(
          table.number,
          ByStep(tables_.back().data(), static_cast<Index>(table.values.size()), counter_.data()));
    }
  }

  void bind_probes() {
    if (!counts()) return;
    pieces_ = pieces_of_sums(setup);
    probes_ = Probes<T>(queue, setup, pieces_.size());
    added_.resize(setup.receivers.size() + pieces_.size());
    traces.resize(setup.receivers.size());
    sums.resize(setup.sums.size());
    for (int p = 0; p < (swaps() ? 2 : 1); ++p)
      bind_probes(p);
  }

  void bind_probes(int p) {
    Launches& l = launches_[static_cast<std::size_t>(p)];
    const int after = swaps() ? 1 - p : p;
    std::vector<ProbeTap<T>> sources;
    for (std::size_t i = 0; i < setup.sources.size(); ++i) {
      for (const auto& tap : taps_.of_source(setup.sources[i], static_cast<int>(i), after))
        sources.push_back(tap);
    }
    l.sources = probes_.bind_sources(queue, std::move(sources), counter_.values());
    std::vector<std::vector<ProbeTap<T>>> receivers;
    std::vector<int> recorded;
    for (std::size_t i = 0; i < setup.receivers.size(); ++i) {
      const SystemReceiver& r = setup.receivers[i];
      const AroundPlace place = places(r.array, r.position, fmt::format("receiver {}", i + 1));
      receivers.push_back(taps_.of_receiver(r.array, place, static_cast<int>(i), after));
      added_[i] = owns(place.points.front().at) ? place.add : 0;
      if (std::find(recorded.begin(), recorded.end(), r.array) == recorded.end())
        recorded.push_back(r.array);
    }
    for (const SumPiece& piece : pieces_)
      receivers.push_back(taps_.of_piece(piece, static_cast<int>(receivers.size()), after));
    const auto one_more = [&](int d) {
      return comm::along(setup.whole(), d) > 1 ? Index{1} : Index{0};
    };
    l.recorded = exchange_of(recorded, after, [&](int /*a*/) {
      return box_around({}, {one_more(0), one_more(1), one_more(2)});
    });
    l.receivers = probes_.bind_receivers(queue, receivers, counter_.span());
  }

  std::array<Launches, 2> launches_;
  StepPart part_ = StepPart::all;
  std::vector<OnDevice<BeyondArray<T>>> shells_;
  std::vector<OnDevice<FreeFace<T>>> free_faces_;
  std::vector<LayerTables<T>> layers_;
  std::unique_ptr<MatchedLayers<Number>> matched_;
  std::vector<OnDevice<double>> tables_;
  StepNumbers numbers_;
  std::vector<T> narrow_;
  OnDevice<Index> counter_, always_first_;
  OnDevice<double> factor_;
  StateValues<T> state_;
  Probes<T> probes_;
  std::vector<double> added_;    ///< by walls to each receiver
  std::vector<SumPiece> pieces_; ///< recorded behind the receivers
  const Taps<T> taps_{*this};
};

} // namespace ridge::chain
