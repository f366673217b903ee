// Steps of a system: launches of its chain, between which points beyond faces are set, then layers,
// sources and receivers.
#include <ridge/chain/schedule.hpp>
#include <ridge/chain/system/system.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/offer.hpp>

#include "faces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace ridge::chain {

namespace {

using comm::along;

constexpr Index graph_steps = 8;    ///< an even number, after which swapped arrays are in place
constexpr Index most_traced = 1024; ///< steps that receivers record before they are brought

/// A table on the device.
template <class A>
class Table {
public:
  Table() = default;
  Table(Queue& queue, const std::vector<A>& values, const char* what)
      : count_(static_cast<Index>(values.size())) {
    if (count_ == 0) return;
    memory_ = Memory(queue.device(), Bytes{count_ * static_cast<Index>(sizeof(A))}, what);
    copy_to_device(queue, data(), values.data(), count_);
    queue.wait();
  }
  [[nodiscard]] A* data() const { return static_cast<A*>(memory_.data()); }
  [[nodiscard]] Span<A> span() const { return {data(), count_}; }
  [[nodiscard]] Span<const A> values() const { return {data(), count_}; }

private:
  Index count_ = 0;
  Memory memory_;
};

} // namespace

/// All that does not depend on the type of the numbers.
struct System::Parts {
  Parts(Queue& q, const SystemKernel& k, const SystemSetup& s)
      : queue(q), kernel(k), setup(s), chain(k.description(s.element_bytes)), step(s.first_step) {
    for (int a = 0; a < arrays(); ++a)
      layouts.push_back(layout_of(chain, a, setup.extents));
    for (const auto& [input, output] : kernel.swaps)
      setup.walls[static_cast<std::size_t>(output)] = setup.walls[static_cast<std::size_t>(input)];
    schedule = parse_schedule(setup.schedule, queue.device(), chain, setup.extents).schedule;
    if (auto* const gpu = std::get_if<GpuSchedule>(&schedule)) gpu->graph = Graph::off;
    plan = make_plan(chain, setup.extents, request_of(schedule));
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  virtual ~Parts() = default;

  [[nodiscard]] int arrays() const { return static_cast<int>(chain.arrays.size()); }
  [[nodiscard]] const Array& array(int a) const {
    return chain.arrays[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] const ArrayLayout& layout(int a) const {
    return layouts[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] bool has_memory(int a) const { return array(a).role != Role::temporary; }
  /// Whose memory an array has, after an even or an odd number of steps.
  [[nodiscard]] int memory_of(int a, int p) const {
    for (const auto& swap : kernel.swaps) {
      if (p == 1 && (swap[0] == a || swap[1] == a)) return swap[0] == a ? swap[1] : swap[0];
    }
    return a;
  }
  [[nodiscard]] bool swaps() const { return !kernel.swaps.empty(); }
  /// Whether steps are counted on the device.
  [[nodiscard]] bool counts() const {
    return !setup.sources.empty() || !setup.receivers.empty() || !setup.by_step.empty();
  }
  [[nodiscard]] std::byte* item(int a, const Index3& at) const {
    const int of = memory_of(a, parity);
    const ArrayLayout& l = layout(of);
    const Index element = l.before + at.x + at.y * l.row + at.z * l.plane;
    return static_cast<std::byte*>(memories[static_cast<std::size_t>(of)].data()) +
           element * setup.element_bytes;
  }
  [[nodiscard]] bool crosses(int op, int a) const {
    const Reach r = chain.operations[static_cast<std::size_t>(op)].reach(a);
    return !(r == Reach{});
  }

  virtual void give_step() = 0;
  virtual void settle() = 0;
  virtual void count_from(Index slot) = 0;
  virtual void bring_traces(Index steps) = 0;
  [[nodiscard]] virtual Record record() const = 0;

  Queue& queue;
  SystemKernel kernel;
  SystemSetup setup;
  Description chain;
  Schedule schedule;
  Plan plan;
  std::vector<ArrayLayout> layouts;
  std::vector<Memory> memories;
  std::vector<std::vector<double>> traces;
  std::unique_ptr<ridge::Graph> graph;
  Index step;
  int parity = 0;
  bool ran = false;
};

namespace {

template <class T>
class Of final : public System::Parts {
public:
  Of(Queue& q, const SystemKernel& k, const SystemSetup& s) : Parts(q, k, s) {
    allocate();
    bind_numbers();
    for (int p = 0; p < (swaps() ? 2 : 1); ++p)
      bind(p);
    bind_probes();
    queue.wait();
  }

  void give_step() override {
    Launches& l = launches_[static_cast<std::size_t>(parity)];
    l.program->run();
    if (l.layers) l.layers.run();
    if (l.sources) l.sources.run();
    if (l.receivers) l.receivers.run();
    if (swaps()) parity = 1 - parity;
    ++step;
  }
  void settle() override {
    const Launches& l = launches_[static_cast<std::size_t>(parity)];
    if (l.all) l.all.run();
  }
  void count_from(Index slot) override {
    const Index values[2] = {step, slot};
    copy_to_device(queue, counter_.data(), values, 2);
    queue.wait();
  }
  void bring_traces(Index steps) override {
    if (setup.receivers.empty()) return;
    std::vector<T> all(static_cast<std::size_t>(trace_.span().size));
    copy_to_host(queue, all.data(), static_cast<const T*>(trace_.data()), trace_.span().size);
    queue.wait();
    for (std::size_t r = 0; r < traces.size(); ++r) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r) * capacity_;
      traces[r].insert(traces[r].end(), begin, begin + steps);
    }
  }

  [[nodiscard]] Record record() const override { return launches_[0].program->record(); }

private:
  /// Some arrays whose faces are set in one launch.
  struct Faces {
    Table<BeyondArray<T>> arrays;
    Bound bound;
  };
  /// What a step is, from arrays as they are after an even or odd number of steps.
  struct Launches {
    std::map<int, Faces> before; ///< by the first operation of a launch
    Faces every;
    Table<DampedArray<T>> damped;
    Table<ProbeTap<T>> source_taps, receiver_taps;
    std::optional<Program> program;
    Bound layers, sources, receivers, all;
  };

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

  [[nodiscard]] Faces faces_of_all(const std::vector<int>& of, int p) {
    std::vector<BeyondArray<T>> all;
    Index most = 0;
    for (const int a : of) {
      // Swapped arrays lie alike.
      all.push_back(faces_of<T>(kernel, setup, a, layout(memory_of(a, p)), memory(a, p)));
      most = std::max(most, all.back().shell.count());
      if (all.back().shell.count() == 0) all.pop_back();
    }
    Faces made;
    if (all.empty()) return made;
    made.arrays = Table<BeyondArray<T>>(queue, all, "rules for faces");
    auto* const bind_faces =
        offered<BindFaces<BeyondArray<T>>>(queue.device().kind(), typeid(BeyondArray<T>));
    made.bound = bind_faces(queue, {made.arrays.data(), static_cast<int>(all.size()), most});
    return made;
  }

  /// Whether an operation changes the array, or what comes at the end of a step may.
  [[nodiscard]] bool changes(int a) const { return kernel.is_state(a); }

  void bind(int p) {
    Launches& l = launches_[static_cast<std::size_t>(p)];
    std::vector<bool> stale(static_cast<std::size_t>(arrays()));
    std::vector<int> all;
    std::vector<int> kept; // between steps
    for (int a = 0; a < arrays(); ++a) {
      stale[static_cast<std::size_t>(a)] = changes(a);
      if (!has_memory(a) || reach_of_all(chain, a) == Reach{}) continue;
      all.push_back(a);
      if (!kernel.is_next(a)) kept.push_back(a);
    }
    l.every = faces_of_all(kept, p);
    if (l.every.bound) l.all = Bound([&every = l.every] { every.bound.run(); });
    for (const GroupPlan& group : plan.groups) {
      std::vector<int> needed;
      for (const int a : all) {
        bool read = false;
        for (int op = group.first; op <= group.last; ++op)
          read = read || crosses(op, a);
        if (!read || !stale[static_cast<std::size_t>(a)]) continue;
        needed.push_back(a);
        stale[static_cast<std::size_t>(a)] = false;
      }
      for (int a = 0; a < arrays(); ++a) {
        if (chain.written_in(group.first, group.last, a)) stale[static_cast<std::size_t>(a)] = true;
      }
      if (!needed.empty()) l.before.emplace(group.first, faces_of_all(needed, p));
    }
    SystemStep one;
    one.dt = setup.dt;
    one.spacing = setup.spacing;
    one.extents = setup.extents;
    one.schedule = schedule;
    one.numbers = numbers_;
    for (int a = 0; a < arrays(); ++a) {
      const ArrayLayout& at = layout(memory_of(a, p));
      one.arrays.push_back(has_memory(a) ? ArrayAt{memory(a, p) + at.before, at.row, at.plane}
                                         : ArrayAt{});
    }
    one.before_launch = [&before = l.before](int first) {
      const auto faces = before.find(first);
      if (faces != before.end() && faces->second.bound) faces->second.bound.run();
    };
    l.program.emplace(kernel.bind(queue, setup.element_bytes, one));
    if (setup.layers.any()) bind_layers(p);
  }

  void bind_layers(int p) {
    Launches& l = launches_[static_cast<std::size_t>(p)];
    const int after = swaps() ? 1 - p : p;
    std::vector<DampedArray<T>> all;
    Index most = 0;
    for (int a = 0; a < arrays(); ++a) {
      if (!kernel.is_state(a)) continue;
      const ArrayLayout& at = layout(memory_of(a, after));
      DampedArray<T> one;
      one.data = memory(a, after) + at.before;
      one.row = at.row;
      one.plane = at.plane;
      one.size = at.elements - at.before;
      one.shell = layers_of(setup, at.points);
      for (int d = 0; d < 3; ++d) {
        const std::vector<double> f = factors_of(
            setup, kernel.placements[static_cast<std::size_t>(a)], along(at.points, d), d);
        factors_.emplace_back(queue, std::vector<T>(f.begin(), f.end()), "absorbing layers");
        one.factors[d] = factors_.back().data();
      }
      most = std::max(most, one.shell.count());
      all.push_back(one);
    }
    if (most == 0) return;
    l.damped = Table<DampedArray<T>>(queue, all, "absorbing layers");
    l.layers = offered<BindFaces<DampedArray<T>>>(queue.device().kind(), typeid(DampedArray<T>))(
        queue, {l.damped.data(), static_cast<int>(all.size()), most});
  }

  [[nodiscard]] std::vector<ProbeTap<T>> taps(int a, const std::array<double, 3>& position,
                                              const std::string& what, int number, double amplitude,
                                              int p) const {
    std::vector<ProbeTap<T>> made;
    const ArrayLayout& at = layout(memory_of(a, p));
    for (const Around& one :
         around(setup, kernel.placements[static_cast<std::size_t>(a)], at.points, position, what)) {
      made.push_back({memory(a, p), at.elements,
                      at.before + one.at.x + one.at.y * at.row + one.at.z * at.plane,
                      static_cast<T>(one.weight * amplitude), number});
    }
    return made;
  }

  void bind_numbers() {
    if (!counts()) return;
    counter_ = Table<Index>(queue, {step, 0}, "the step");
    for (const StepTable& table : setup.by_step) {
      if (std::find(kernel.by_step.begin(), kernel.by_step.end(), table.number) ==
          kernel.by_step.end()) {
        throw UsageError(fmt::format("{} has no number '{}' that steps may change{}", kernel.name,
                                     table.number, known_numbers()));
      }
      if (table.values.empty())
        throw UsageError(fmt::format("the table of '{}' has no values", table.number));
      tables_.emplace_back(queue, table.values, "a number for each step");
      numbers_.tables.emplace_back(
          table.number,
          ByStep(tables_.back().data(), static_cast<Index>(table.values.size()), counter_.data()));
    }
  }
  [[nodiscard]] std::string known_numbers() const {
    std::string all;
    for (const std::string& name : kernel.by_step)
      all += (all.empty() ? "; it has " : ", ") + name;
    return all;
  }

  void bind_probes() {
    if (!counts()) return;
    std::size_t length = 0;
    for (const auto& wavelet : setup.wavelets)
      length = std::max(length, wavelet.size());
    std::vector<T> values;
    for (const SystemSource& source : setup.sources) {
      const std::vector<double>& wavelet = setup.wavelets.at(source.wavelet);
      for (std::size_t i = 0; i < length; ++i)
        values.push_back(static_cast<T>(i < wavelet.size() ? wavelet[i] : 0));
    }
    wavelets_ = Table<T>(queue, values, "wavelets");
    capacity_ = setup.receivers.empty() ? 0 : most_traced;
    traces.resize(setup.receivers.size());
    trace_ = Table<T>(
        queue, std::vector<T>(static_cast<std::size_t>(capacity_) * traces.size() + 1), "traces");
    for (int p = 0; p < (swaps() ? 2 : 1); ++p)
      bind_probes(p, static_cast<Index>(length));
  }

  void bind_probes(int p, Index length) {
    Launches& l = launches_[static_cast<std::size_t>(p)];
    const int after = swaps() ? 1 - p : p;
    std::vector<ProbeTap<T>> all;
    std::vector<int> first;
    for (std::size_t i = 0; i < setup.sources.size(); ++i) {
      const SystemSource& s = setup.sources[i];
      for (const auto& tap : taps(s.array, s.position, fmt::format("source {}", i + 1),
                                  static_cast<int>(i), s.amplitude, after))
        all.push_back(tap);
    }
    std::stable_sort(all.begin(), all.end(), [](const ProbeTap<T>& a, const ProbeTap<T>& b) {
      return a.memory != b.memory ? std::less<>{}(a.memory, b.memory) : a.at < b.at;
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == 0 || all[i].memory != all[i - 1].memory || all[i].at != all[i - 1].at)
        first.push_back(static_cast<int>(i));
    }
    first.push_back(static_cast<int>(all.size()));
    const DeviceKind kind = queue.device().kind();
    if (!all.empty()) {
      l.source_taps = Table<ProbeTap<T>>(queue, all, "sources");
      groups_.emplace_back(queue, first, "sources");
      l.sources = offered<BindProbes<Sources<T>>>(kind, typeid(Sources<T>))(
          queue, {l.source_taps.values(), groups_.back().values(), wavelets_.values(), length,
                  counter_.values()});
    }
    all.clear();
    first = {0};
    for (std::size_t i = 0; i < setup.receivers.size(); ++i) {
      const SystemReceiver& r = setup.receivers[i];
      for (const auto& tap : taps(r.array, r.position, fmt::format("receiver {}", i + 1),
                                  static_cast<int>(i), 1, after))
        all.push_back(tap);
      first.push_back(static_cast<int>(all.size()));
    }
    l.receiver_taps = Table<ProbeTap<T>>(queue, all, "receivers");
    groups_.emplace_back(queue, first, "receivers");
    l.receivers = offered<BindProbes<Receivers<T>>>(kind, typeid(Receivers<T>))(
        queue, {l.receiver_taps.values(), groups_.back().values(), trace_.span(), capacity_,
                counter_.span()});
  }

  std::array<Launches, 2> launches_;
  std::vector<Table<T>> factors_;
  std::vector<Table<int>> groups_;
  std::vector<Table<double>> tables_;
  StepNumbers numbers_;
  Table<T> wavelets_, trace_;
  Table<Index> counter_;
  Index capacity_ = 0;
};

} // namespace

System::System(Queue& queue, const SystemKernel& kernel, const SystemSetup& setup) {
  if (setup.element_bytes == 4) {
    parts_ = std::make_unique<Of<float>>(queue, kernel, setup);
  } else {
    parts_ = std::make_unique<Of<double>>(queue, kernel, setup);
  }
}
System::~System() {
  if (parts_) parts_->queue.wait();
}
System::System(System&&) noexcept = default;

Index3 System::points(int array) const {
  return parts_->layout(array).points;
}

ArrayAt System::at(int array) const {
  const ArrayLayout& l = parts_->layout(array);
  return {parts_->item(array, {}), l.row, l.plane};
}

void System::write(int array, const SystemBox& box, const void* from) {
  Parts& p = *parts_;
  const Index bytes = p.setup.element_bytes;
  for (Index z = 0; z < box.extents.z; ++z) {
    copy_rows_to_device(p.queue, p.item(array, {box.begin.x, box.begin.y, box.begin.z + z}),
                        Bytes{p.layout(array).row * bytes},
                        static_cast<const std::byte*>(from) +
                            z * box.extents.x * box.extents.y * bytes,
                        Bytes{box.extents.x * bytes}, box.extents.y);
  }
  p.queue.wait();
}

void System::read(int array, const SystemBox& box, void* to) {
  Parts& p = *parts_;
  const Index bytes = p.setup.element_bytes;
  for (Index z = 0; z < box.extents.z; ++z) {
    copy_rows_to_host(
        p.queue, static_cast<std::byte*>(to) + z * box.extents.x * box.extents.y * bytes,
        p.item(array, {box.begin.x, box.begin.y, box.begin.z + z}),
        Bytes{p.layout(array).row * bytes}, Bytes{box.extents.x * bytes}, box.extents.y);
  }
  p.queue.wait();
}

void System::started() {
  parts_->settle();
}

void System::run(Index steps) {
  Parts& p = *parts_;
  const bool on_gpu = std::holds_alternative<GpuSchedule>(p.schedule);
  const bool records = !p.setup.receivers.empty();
  while (steps > 0) {
    const Index part = records ? std::min(steps, most_traced) : steps;
    if (p.counts()) p.count_from(0);
    for (Index left = part; left > 0;) {
      if (on_gpu && p.ran && p.parity == 0 && left >= graph_steps) {
        if (!p.graph) {
          const Index before = p.step;
          p.graph = std::make_unique<ridge::Graph>(p.queue, [&p] {
            for (Index i = 0; i < graph_steps; ++i)
              p.give_step();
          });
          p.step = before;
        }
        const Index before = p.step;
        p.graph->launch();
        p.step = before + graph_steps;
        left -= graph_steps;
      } else {
        p.give_step();
        --left;
        p.ran = true;
      }
    }
    p.queue.wait();
    p.bring_traces(part);
    steps -= part;
  }
  p.settle();
}

Index System::step() const {
  return parts_->step;
}

const std::vector<std::vector<double>>& System::traces() const {
  return parts_->traces;
}

Record System::record() const {
  return parts_->record();
}

double System::bytes_of_launches() const {
  const Parts& p = *parts_;
  double bytes = 0;
  for (const GroupPlan& group : p.plan.groups) {
    for (int a = 0; a < p.arrays(); ++a) {
      const Index3 n = p.layout(a).points;
      const int passes = (p.chain.read_in(group.first, group.last, a) ? 1 : 0) +
                         (p.chain.written_in(group.first, group.last, a) ? 1 : 0);
      bytes += static_cast<double>(n.x * n.y * n.z * passes * p.setup.element_bytes);
    }
  }
  return bytes;
}

} // namespace ridge::chain
