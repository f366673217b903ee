// One step of a system backwards: the transposes of its receivers, layers, operations and faces, in
// the opposite order.
#pragma once

#include <ridge/chain/schedule.hpp>
#include <ridge/chain/system/fold.hpp>
#include <ridge/chain/system/gradient.hpp>
#include <ridge/device/generate.hpp>

#include "adjoint_free.hpp"
#include "adjoint_surroundings.hpp"
#include "face_launches.hpp"
#include "faces.hpp"
#include "matched_adjoint.hpp"
#include "parts.hpp"
#include "probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace ridge::chain {

/// Without the type of the numbers.
class AdjointStep {
public:
  AdjointStep() = default;
  AdjointStep(const AdjointStep&) = delete;
  AdjointStep& operator=(const AdjointStep&) = delete;
  virtual ~AdjointStep() = default;

  /// Sets all derivatives to 0, and those by traces to these.
  virtual void begin(const Traces& by_traces) = 0;
  /// From behind a step to before it. The system is as it was before it, and changes.
  virtual void take_back(Index step) = 0;
  /// Behind the last one.
  virtual void end() = 0;
  virtual void read(int array, const SystemBox& box, void* to) const = 0;
  [[nodiscard]] virtual const Traces& by_wavelets() const = 0;
};

template <class T>
class AdjointOf final : public AdjointStep {
public:
  AdjointOf(Queue& queue, System& system, const SystemKernel& kernel, const SystemSetup& setup,
            const SystemAdjoint& adjoint)
      : queue_(queue), system_(system), kernel_(kernel), setup_(setup), adjoint_(adjoint),
        chain_(adjoint.kernel.description(setup.element_bytes)),
        around_(queue_, setup_, adjoint_, chain_), free_(queue_, kernel_, setup_, adjoint_) {
    setup_.walls.resize(kernel.of_double.arrays.size());
    allocate();
    bind_operations();
    bind_layers();
    match_layers();
    std::vector<int> medium;
    for (int a = 0; a < given(); ++a) {
      if (!kernel_.is_state(a)) medium.push_back(a);
    }
    folds_of(medium_, medium);
    counter_ = OnDevice<Index>(queue_, {0, 0}, "the step");
    queue_.wait();
  }

  void begin(const Traces& by_traces) override {
    for (const Memory& memory : memories_) {
      if (memory.data() != nullptr) fill_bytes(queue_, memory.data(), 0, memory.size());
    }
    if (matched_) matched_->begin();
    bind_probes(by_traces);
    by_wavelets_.assign(setup_.sources.size(), {});
    queue_.wait();
  }

  void take_back(Index step) override {
    const Index values[2] = {step, 0};
    copy_to_device(queue_, counter_.data(), values, 2);
    queue_.wait();
    if (receivers_) receivers_.run();
    if (sources_) {
      sources_.run();
      probes_.bring(queue_, 1, std::vector<double>(by_wavelets_.size()), by_wavelets_);
    }
    if (layers_) layers_.run();
    for (int k = 0; k < static_cast<int>(launches_.size()); ++k) {
      const Launch& launch = launches_[static_cast<std::size_t>(k)];
      for (const Bound& faces : launch.faces)
        faces.run();
      launch.program->run();
      if (matched_ && launch.again >= 0) system_.pass_layers(launch.again);
      if (matched_) matched_->run(k);
      for (const Bound& fold : launch.folds)
        fold.run();
    }
  }

  void end() override {
    for (const Bound& fold : medium_)
      fold.run();
    for (std::vector<double>& one : by_wavelets_) {
      std::reverse(one.begin(), one.end());
      if (setup_.part) sum_over_ranks(one, *setup_.part->ranks);
    }
    queue_.wait();
  }

  void read(int array, const SystemBox& box, void* to) const override {
    const int by = adjoint_.derivatives[static_cast<std::size_t>(array)];
    const ArrayLayout& at = layouts_[static_cast<std::size_t>(by)];
    const Index3 n = box.extents;
    const auto bytes = [](Index numbers) { return Bytes{numbers * static_cast<Index>(sizeof(T))}; };
    for (Index z = 0; z < n.z; ++z) {
      const Index first =
          at.before + box.begin.x + box.begin.y * at.row + (box.begin.z + z) * at.plane;
      copy_rows_to_host(queue_, static_cast<T*>(to) + z * n.x * n.y, memory(by) + first,
                        bytes(at.row), bytes(n.x), n.y);
    }
    queue_.wait();
  }
  [[nodiscard]] const Traces& by_wavelets() const override { return by_wavelets_; }

private:
  struct Launch {
    std::vector<Bound> faces; ///< before
    std::optional<Program> program;
    std::vector<Bound> folds; ///< behind
    int again = -1;           ///< the operation of the system that it is
  };

  [[nodiscard]] int arrays() const { return static_cast<int>(chain_.arrays.size()); }
  [[nodiscard]] int given() const { return static_cast<int>(adjoint_.derivatives.size()); }
  [[nodiscard]] int derivative(int array) const {
    return adjoint_.derivatives[static_cast<std::size_t>(array)];
  }
  [[nodiscard]] T* memory(int a) const {
    if (a < given())
      return static_cast<T*>(system_.at(a).data) - layouts_[static_cast<std::size_t>(a)].before;
    return static_cast<T*>(memories_[static_cast<std::size_t>(a)].data());
  }

  void allocate() {
    const Description& forward = kernel_.description(setup_.element_bytes);
    for (int a = 0; a < arrays(); ++a) {
      memories_.emplace_back();
      layouts_.push_back(a < given() ? layout_of(forward, a, setup_.extents)
                                     : derivative_layout(chain_, a, setup_.extents));
      if (a < given()) continue;
      const Bytes bytes{layouts_.back().elements * static_cast<Index>(sizeof(T))};
      memories_.back() =
          Memory(queue_.device(), bytes,
                 fmt::format("'{}'", chain_.arrays[static_cast<std::size_t>(a)].name));
    }
  }

  void bind_operations() {
    std::vector<int> stale; // arrays of the system whose faces are not set
    const Description& forward = kernel_.description(setup_.element_bytes);
    const auto places = [this](int a) {
      return points_from(memory(a), layouts_[static_cast<std::size_t>(a)], {});
    };
    for (int k = 0; k < static_cast<int>(chain_.operations.size()); ++k) {
      const OperationInfo& op = chain_.operations[static_cast<std::size_t>(k)];
      std::vector<int> read;
      std::vector<int> spread;
      for (int a = 0; a < given(); ++a) {
        const bool is_stale = std::erase(stale, a) > 0;
        if (is_stale && !(op.reach(a) == Reach{})) {
          read.push_back(a);
        } else if (is_stale || op.writes(a)) {
          stale.push_back(a);
        }
        if (kernel_.is_state(a) && op.writes(derivative(a))) spread.push_back(a);
      }
      Launch made;
      around_.bring_forward(made.faces, forward, read, places);
      add_faces(made.faces, of_system(read));
      if (free_.acts_on(read)) free_.set(made.faces, place_);
      around_.bring(made.faces, op, {{}, setup_.extents}, {}, places);
      made.again = again(op);
      made.program.emplace(bind(k, !spread.empty()));
      if (free_.acts_on(spread)) {
        free_.fold(made.folds, place_, [this](std::vector<Bound>& to, const std::vector<int>& of) {
          add_faces(to, of_system(of));
        });
      }
      folds_of(made.folds, spread);
      launches_.push_back(std::move(made));
    }
  }

  /// An operation, over items beyond faces, too, where it spreads derivatives there.
  [[nodiscard]] Program bind(int k, bool spreads) const {
    const OperationInfo& op = chain_.operations[static_cast<std::size_t>(k)];
    SystemStep one;
    one.dt = setup_.dt;
    one.spacing = setup_.spacing;
    one.extents = setup_.extents;
    one.first = k;
    const BeyondWalls beyond =
        spreads ? beyond_walls(setup_, chain_, {{}, setup_.extents}) : BeyondWalls{};
    for (int d = 0; d < 3; ++d) {
      if (comm::along(setup_.whole(), d) == 1)
        one.spacing[static_cast<std::size_t>(d)] = std::numeric_limits<double>::infinity();
      comm::along(one.extents, d) += comm::along(beyond.before, d) + comm::along(beyond.behind, d);
    }
    const Index3& before = beyond.before;
    for (int a = 0; a < arrays(); ++a) {
      const ArrayLayout& at = layouts_[static_cast<std::size_t>(a)];
      T* const item = memory(a) + at.before;
      if (!op.reads(a) && !op.writes(a)) { // a row of it stands for all
        one.arrays.push_back({item, 0, 0});
      } else {
        one.arrays.push_back(
            {item - before.x - before.y * at.row - before.z * at.plane, at.row, at.plane});
      }
    }
    one.schedule = parse_schedule("fuse=none", queue_.device(), chain_, one.extents).schedule;
    return adjoint_.kernel.bind(queue_, setup_.element_bytes, one);
  }

  [[nodiscard]] std::vector<BeyondArray<T>> of_system(const std::vector<int>& of) const {
    std::vector<BeyondArray<T>> all;
    for (const int a : of) {
      all.push_back(
          faces_of<T>(kernel_, setup_, a, layouts_[static_cast<std::size_t>(a)], memory(a)));
    }
    return all;
  }
  /// The operation of the system that an operation computes again, or -1.
  [[nodiscard]] int again(const OperationInfo& op) const {
    const auto& all = kernel_.description(setup_.element_bytes).operations;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const OperationInfo& one) { return one.name == op.name; });
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
  }
  void add_faces(std::vector<Bound>& to, const std::vector<BeyondArray<T>>& all) {
    Index most = 0;
    for (const BeyondArray<T>& one : all)
      most = std::max(most, one.shell.count());
    if (most == 0) return;
    shells_.emplace_back(queue_, all, "rules for faces");
    to.push_back(bind_on_faces(queue_, shells_.back(), most));
  }

  /// Conditions beyond the faces of derivatives by some arrays of the system, axis by axis.
  void folds_of(std::vector<Bound>& to, const std::vector<int>& of) {
    for (int axis = 2; axis >= 0; --axis) {
      std::vector<FoldedArray<T>> all;
      Index most = 0;
      for (const int a : of) {
        const int by = derivative(a);
        FoldedArray<T> one{
            faces_of<T>(kernel_, setup_, a, layouts_[static_cast<std::size_t>(by)], memory(by)),
            axis};
        fold_at_walls(one.shell);
        if (one.shell.ends(axis) == 0 || comm::along(setup_.whole(), axis) == 1) continue;
        most = std::max(most, one.lines());
        all.push_back(one);
      }
      if (all.empty()) continue;
      folded_.emplace_back(queue_, all, "rules for faces");
      to.push_back(bind_on_faces(queue_, folded_.back(), most));
    }
  }

  /// Sides that are no walls have nothing beyond them to fold, but for slopes at free faces.
  void fold_at_walls(ShellOf& shell) const {
    if (free_.any()) return;
    for (int d = 0; d < 3; ++d) {
      if (comm::along(setup_.whole(), d) == 1) continue;
      if (!ends_at_wall(setup_, d, 0)) shell.begin[d] = shell.low[d] = 0;
      if (!ends_at_wall(setup_, d, 1))
        shell.high[d] = shell.end[d] = comm::along(setup_.extents, d);
    }
  }

  void bind_layers() {
    if (!setup_.layers.rub()) return;
    Layers<T> layers(queue_, kernel_, setup_);
    for (int a = 0; a < given(); ++a) {
      const int by = derivative(a);
      if (kernel_.is_state(a)) layers.add(a, memory(by), layouts_[static_cast<std::size_t>(by)]);
    }
    layers_ = layers.bind(layer_tables_);
  }

  void match_layers() {
    if (matched_faces_back(kernel_, setup_, chain_).empty()) return; // on all ranks
    using Arrays = typename MatchedAdjoint<T>::Arrays;
    matched_ = std::make_unique<MatchedAdjoint<T>>(
        queue_, kernel_, setup_, adjoint_,
        Arrays{[this](int a) { return memory(a); }, layouts_, around_});
  }

  /// Receivers add to derivatives, and sources record them.
  void bind_probes(const Traces& by_traces) {
    SystemSetup turned = setup_;
    turned.sources.clear();
    turned.receivers.clear();
    turned.wavelets = by_traces;
    for (const SystemReceiver& r : setup_.receivers)
      turned.sources.push_back({r.array, r.position, 1, turned.sources.size()});
    for (const SystemSource& s : setup_.sources)
      turned.receivers.push_back({s.array, s.position});
    probes_ = Probes<T>(queue_, turned, 0);
    std::vector<ProbeTap<T>> added;
    for (std::size_t i = 0; i < turned.sources.size(); ++i) {
      for (const ProbeTap<T>& tap :
           taps(setup_.receivers[i].array, setup_.receivers[i].position, 1, static_cast<int>(i)))
        added.push_back(tap);
    }
    receivers_ = probes_.bind_sources(queue_, std::move(added), counter_.values());
    std::vector<std::vector<ProbeTap<T>>> recorded;
    for (const SystemSource& s : setup_.sources)
      recorded.push_back(taps(s.array, s.position, s.amplitude, 0));
    sources_ =
        recorded.empty() ? Bound{} : probes_.bind_receivers(queue_, recorded, counter_.span());
  }
  /// Those of the points around a place that this rank owns.
  [[nodiscard]] std::vector<ProbeTap<T>> taps(int array, const std::array<double, 3>& position,
                                              double weight, int number) const {
    const int by = derivative(array);
    const ArrayLayout& at = layouts_[static_cast<std::size_t>(by)];
    std::vector<ProbeTap<T>> made;
    for (const Around& one : around(kernel_, setup_, array, position, "a place").points) {
      const Index3 begin = setup_.begin();
      const Index3 p{one.at.x - begin.x, one.at.y - begin.y, one.at.z - begin.z};
      if (one.weight == 0 || !has(p)) continue;
      made.push_back({memory(by), at.elements, at.before + p.x + p.y * at.row + p.z * at.plane,
                      static_cast<T>(one.weight * weight), number});
    }
    return made;
  }
  /// Of this rank's points, from its first one on.
  [[nodiscard]] bool has(const Index3& p) const {
    const Index3& n = setup_.extents;
    return p.x >= 0 && p.x < n.x && p.y >= 0 && p.y < n.y && p.z >= 0 && p.z < n.z;
  }

  Queue& queue_;
  System& system_;
  const SystemKernel& kernel_;
  SystemSetup setup_;
  const SystemAdjoint& adjoint_;
  const Description& chain_;
  Surroundings<T> around_;
  FreeFacesBack<T> free_;
  const typename FreeFacesBack<T>::Place place_ = [this](int a) {
    return place_of(memory(a), layouts_[static_cast<std::size_t>(a)]);
  };
  std::vector<ArrayLayout> layouts_;
  std::vector<Memory> memories_; ///< of arrays that are none of the system's
  std::vector<Launch> launches_;
  std::vector<Bound> medium_;
  Bound layers_, receivers_, sources_;
  std::vector<OnDevice<BeyondArray<T>>> shells_;
  std::vector<OnDevice<FoldedArray<T>>> folded_;
  std::vector<LayerTables<T>> layer_tables_;
  std::unique_ptr<MatchedAdjoint<T>> matched_;
  OnDevice<Index> counter_;
  Probes<T> probes_;
  Traces by_wavelets_;
};

} // namespace ridge::chain
