// The chain pattern on the cpu: tiles over threads, packs along x, temporaries of a tile in the
// cache or in registers.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/executor.hpp>
#include <ridge/chain/region.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/cpu/prefetch.hpp>

#include <cstdint>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

#if defined(NDEBUG)
constexpr bool checks_reach = false;
#else
constexpr bool checks_reach = true;
#endif

/// Throws UsageError that names the operation, the array and the distance.
[[noreturn]] inline void undeclared(const char* operation, const char* array, Offset o) {
  throw UsageError(std::string("operation '") + operation + "' reads '" + array + "' at (" +
                   std::to_string(o.x) + ", " + std::to_string(o.y) + ", " + std::to_string(o.z) +
                   "), beyond the reach it declares");
}

/// All reads of an array by the operations First to Last together.
template <class C, int First, int Last>
constexpr Reach run_reach(int array) {
  Reach all;
  const auto add = [&]<int K>(std::integral_constant<int, K>) {
    if constexpr (K >= First && K <= Last) {
      const Reach r = reach_of<Operation<C, K>>(array);
      const auto least = [](int a, int b) { return a < b ? a : b; };
      const auto most = [](int a, int b) { return a > b ? a : b; };
      all = {{least(all.low.x, r.low.x), least(all.low.y, r.low.y), least(all.low.z, r.low.z)},
             {most(all.high.x, r.high.x), most(all.high.y, r.high.y), most(all.high.z, r.high.z)}};
    }
  };
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (add(std::integral_constant<int, K>{}), ...);
  }
  (std::make_integer_sequence<int, operations_of<C>>{});
  return all;
}

/// What a run needs of its arrays, at compile time.
template <class C, int First, int Last>
struct Needs {
  static constexpr auto reach = [] {
    std::array<Reach, arrays_of<C>> all{};
    for (int i = 0; i < arrays_of<C>; ++i)
      all[static_cast<std::size_t>(i)] = run_reach<C, First, Last>(i);
    return all;
  }();
  static constexpr int rows_y(int i) {
    const Reach r = reach[static_cast<std::size_t>(i)];
    return r.high.y - r.low.y + 1;
  }
  static constexpr int rows(int i) {
    const Reach r = reach[static_cast<std::size_t>(i)];
    return read_in<C>(First, Last, i) ? rows_y(i) * (r.high.z - r.low.z + 1) : 0;
  }
  /// Where the rows of array i begin among those of all.
  static constexpr int begin(int i) {
    int all = 0;
    for (int j = 0; j < i; ++j)
      all += rows(j);
    return all;
  }
  static constexpr bool stores(int i) {
    return written_in<C>(First, Last, i) && outlives<C>(First, Last, i);
  }
  /// The array to whose lines packs are aligned.
  static constexpr int aligned() {
    for (int i = 0; i < arrays_of<C>; ++i) {
      if (stores(i)) return i;
    }
    return 0;
  }
  static constexpr int low_x() {
    int low = 0;
    for (int i = 0; i < arrays_of<C>; ++i) {
      const Reach r = reach[static_cast<std::size_t>(i)];
      if (!C::arrays[static_cast<std::size_t>(i)].profile && r.low.x < low) low = r.low.x;
    }
    return low;
  }
  static constexpr int high_x() {
    int high = 0;
    for (int i = 0; i < arrays_of<C>; ++i) {
      const Reach r = reach[static_cast<std::size_t>(i)];
      if (!C::arrays[static_cast<std::size_t>(i)].profile && r.high.x > high) high = r.high.x;
    }
    return high;
  }
};

/// How a row is stored.
enum class Put : unsigned char { nothing, plain, stream };

/// The windows of a thread on its tile.
template <class C, class T, bool Checked>
struct Memory {
  Windows<C, T> windows;
  Index3 n;
  ridge::cpu::LinesAhead ahead;
};

/// The rows of all arrays that a run reaches from its row (y, z). Addresses are found once a row.
template <class C, class T, int First, int Last, bool Checked>
struct Row {
  using N = Needs<C, First, Last>;

  const Windows<C, T>& windows;
  Index3 n;
  ridge::cpu::LinesAhead ahead;
  const T* from[N::begin(arrays_of<C>) + 1];
  bool in_memory[arrays_of<C>]; ///< read from there, not from what a tile keeps
  T* to[arrays_of<C>];
  Put put[arrays_of<C>];

  /// `everything` false: only what the tile keeps for itself is written.
  RIDGE_FN Row(const Memory<C, T, Checked>& memory, Index y, Index z, bool everything)
      : windows(memory.windows), n(memory.n), ahead(memory.ahead) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (find<I>(y, z, everything), ...);
    }
    (std::make_integer_sequence<int, arrays_of<C>>{});
  }

  [[nodiscard]] RIDGE_FN const Index3& extents() const { return n; }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_FN V load(Index x, Index /*y*/, Index /*z*/, Offset o) const {
    if constexpr (Checked) {
      if (!within_reach<C, K, I>(o)) undeclared(Operation<C, K>::name, C::arrays[I].name, o);
    }
    constexpr Reach r = N::reach[I];
    const T* const row = from[N::begin(I) + o.y - r.low.y + (o.z - r.low.z) * N::rows_y(I)];
    if constexpr (Profile) {
      return V(*row);
    } else if constexpr (Edges) {
      const Window<T>& w = windows.of[I];
      return V::load(row + resolve<dimension_of<C>(0).edge>(x + o.x, w.points.x, w.part_x));
    } else {
      return V::load(row + (x + o.x));
    }
  }
  template <int I, class V>
  RIDGE_FN void store(Index x, Index /*y*/, Index /*z*/, const V& value) const {
    if (put[I] == Put::nothing) return;
    T* const at = to[I] + x;
    if constexpr (lanes_of<V> == lanes_of<NativePack<T>>) {
      if (put[I] == Put::stream && reinterpret_cast<std::uintptr_t>(at) % sizeof(V) == 0) {
        value.stream(at);
        return;
      }
    }
    value.store(at);
  }

  /// Asks for what comes later of the arrays that are read from memory, not those that operations
  /// of this run pass on or a tile keeps.
  RIDGE_FN void ask(Index x) const { ask(x, std::make_integer_sequence<int, arrays_of<C>>{}); }

private:
  template <int... I>
  RIDGE_FN void ask(Index x, std::integer_sequence<int, I...> /*all*/) const {
    (ask_for<I>(x), ...);
  }
  template <int I>
  RIDGE_FN void ask_for(Index x) const {
    constexpr bool passed = C::arrays[I].role == Role::temporary && written_in<C>(First, Last, I);
    if constexpr (read_in<C>(First, Last, I) && !C::arrays[I].profile && !passed) {
      if (in_memory[I]) ahead.ask(from[N::begin(I)] + x);
    }
  }

  template <int I>
  RIDGE_FN void find(Index y, Index z, bool everything) {
    const Window<T>& w = windows.of[I];
    if constexpr (read_in<C>(First, Last, I)) {
      in_memory[I] = !w.local;
      constexpr Reach r = N::reach[I];
      constexpr bool profile = C::arrays[I].profile;
      int next = N::begin(I);
      for (int dz = r.low.z; dz <= r.high.z; ++dz) {
        for (int dy = r.low.y; dy <= r.high.y; ++dy) {
          const Index3 p = resolve<C, T, profile, false>(w, 0, y, z, {0, dy, dz});
          from[next++] = w.data + w.at(0, p.y, p.z);
        }
      }
    }
    if constexpr (N::stores(I)) {
      to[I] = w.data + w.at(0, y, z);
      put[I] = !everything && !w.local ? Put::nothing : w.stream ? Put::stream : Put::plain;
    }
  }
};

/// Whole packs of items from x on, none of which reaches beyond an end; gives back where the next
/// begins. Whether it asks for what comes later is decided here, since a question in the loop took
/// the atmosphere about 5 % more time.
template <bool Asks, class Vector, int First, int Last, class C, class R>
RIDGE_FN Index run_packs(const C& chain, const R& row, Index x, Index end, Index y, Index z) {
  for (; x + lanes_of<Vector> <= end; x += lanes_of<Vector>) {
    if constexpr (Asks) row.ask(x);
    run_item<Vector, First, Last, false>(chain, row, x, y, z);
  }
  return x;
}

/// Items [x, end) of a row.
template <int First, int Last, class C, class T, bool Checked>
RIDGE_FN void run_row(const C& chain, const Memory<C, T, Checked>& memory, bool everything, Index x,
                      Index end, Index y, Index z) {
  using Vector = NativePack<T>;
  using One = Pack<T, 1, abi::Native>;
  using N = Needs<C, First, Last>;
  constexpr Index width = lanes_of<Vector>;
  constexpr bool edges = dimension_of<C>(0).edge != Edge::none;
  const Row<C, T, First, Last, Checked> row(memory, y, z, everything);
  // Where no neighbour lies beyond an end, packs are contiguous.
  const Index safe = edges ? std::max<Index>(x, -N::low_x()) : x;
  const Index safe_end = edges ? std::min<Index>(end, memory.n.x - N::high_x()) : end;
  const auto misfit =
      static_cast<Index>(reinterpret_cast<std::uintptr_t>(row.to[N::aligned()] + safe) / sizeof(T) %
                         static_cast<std::uintptr_t>(width));
  const Index begin = safe + (misfit == 0 ? 0 : width - misfit);
  if (begin + width <= safe_end) {
    for (; x < begin; ++x)
      run_item<One, First, Last, edges>(chain, row, x, y, z);
    x = row.ahead ? run_packs<true, Vector, First, Last>(chain, row, x, safe_end, y, z)
                  : run_packs<false, Vector, First, Last>(chain, row, x, safe_end, y, z);
  }
  for (; x < end; ++x)
    run_item<One, First, Last, edges>(chain, row, x, y, z);
}

/// The items of `box`; those outside `own` are only written to what the tile keeps for itself. The
/// chain is a copy, so that no store can change it.
template <int First, int Last, class C, class T, bool Checked>
void run_box(const C& original, const Memory<C, T, Checked>& memory, const Box& box,
             const Box& own) {
  const C chain = original;
  for (Index z = box.begin[2]; z < box.end[2]; ++z) {
    for (Index y = box.begin[1]; y < box.end[1]; ++y) {
      const bool mine = y >= own.begin[1] && y < own.end[1] && z >= own.begin[2] && z < own.end[2];
      const Index from = mine ? std::clamp(own.begin[0], box.begin[0], box.end[0]) : box.end[0];
      const Index to = mine ? std::clamp(own.end[0], from, box.end[0]) : box.end[0];
      // Up to three parts, of which the second is the tile's own.
      const Index cuts[4] = {box.begin[0], from, to, box.end[0]};
      for (int part = 0; part < 3; ++part) {
        if (cuts[part] < cuts[part + 1]) {
          run_row<First, Last>(chain, memory, part == 1, cuts[part], cuts[part + 1], y, z);
        }
      }
    }
  }
}

template <class C, class M>
using RunBox = void (*)(const C&, const M&, const Box&, const Box&);

/// The function of a run: single operations and those compiled as joined.
template <class C, class M>
RunBox<C, M> function_of(int first, int last) {
  RunBox<C, M> found = nullptr;
  constexpr int n = operations_of<C>;
  if (first == last) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      ((first == K ? void(found = &run_box<K, K>) : void()), ...);
    }
    (std::make_integer_sequence<int, n>{});
  } else {
    chain::detail::for_each_joined<C>([&](auto f, auto l) {
      if (first == f && last == l) found = &run_box<f, l>;
    });
  }
  return found;
}

/// One thread's share of a group: its tiles, one after the other.
template <class C, class T>
class Worker {
public:
  using M = Memory<C, T, checks_reach>;

  Worker(const Call<C, T>& call, const GroupPlan& group, int streams, int thread, int threads)
      : call_(call), plan_(*call.plan), group_(group), thread_(thread),
        threads_(threads), memory_{call.windows, plan_.extents,
                                   ridge::cpu::LinesAhead::by_streams(streams)} {
    for (const RunPlan& run : group.runs)
      functions_.push_back(function_of<C, M>(run.first, run.last));
    done_.resize(group.runs.size());
    domains_ = domains();
  }

  void run() {
    // Threads share out the last dimension, or another that has more tiles where it has too few.
    int shared = plan_.march;
    for (int d = 2; d >= 0; --d) {
      if (tiles(shared) < threads_ && tiles(d) > tiles(shared)) shared = d;
    }
    const auto mine = [&](int d) {
      return d == shared ? ridge::cpu::share_of(tiles(d), thread_, threads_)
                         : ridge::cpu::Range{0, tiles(d)};
    };
    const int m = plan_.march;
    const int inner = m == 0 ? 1 : 0;
    const int outer = 3 - m - inner;
    Index tile[3];
    for (tile[outer] = mine(outer).begin; tile[outer] < mine(outer).end; ++tile[outer]) {
      for (tile[inner] = mine(inner).begin; tile[inner] < mine(inner).end; ++tile[inner]) {
        const auto march = mine(m);
        for (tile[m] = march.begin; tile[m] < march.end; ++tile[m])
          run_tile(tile, march);
      }
    }
  }

private:
  [[nodiscard]] Index extent(int d) const {
    return d == 0 ? plan_.extents.x : d == 1 ? plan_.extents.y : plan_.extents.z;
  }
  [[nodiscard]] Index tile_size(int d) const {
    return d == 0 ? group_.tile.x : d == 1 ? group_.tile.y : group_.tile.z;
  }
  [[nodiscard]] Index tiles(int d) const { return tiles_of(extent(d), tile_size(d)); }

  static std::vector<Domain> domains() {
    return []<int... K>(std::integer_sequence<int, K...>) {
      return std::vector<Domain>{domain_of<Operation<C, K>>()...};
    }
    (std::make_integer_sequence<int, operations_of<C>>{});
  }

  /// Puts the windows of parts on this tile.
  void place(const Box& tile) {
    for (int i = 0; i < arrays_of<C>; ++i) {
      const ArrayPlan& a = plan_.arrays[static_cast<std::size_t>(i)];
      if (a.home != Home::tile || &plan_.groups[static_cast<std::size_t>(a.group)] != &group_)
        continue;
      T* const begin = call_.tile_memory + thread_ * plan_.tile_elements + a.offset;
      memory_.windows.of[i].data = begin - (a.part_x ? tile.begin[0] - a.before.x : 0);
    }
  }

  /// `march` are the tiles that this thread computes one behind the other.
  void run_tile(const Index (&tile)[3], const ridge::cpu::Range& march) {
    const int m = plan_.march;
    Box whole;
    for (int d = 0; d < 3; ++d) {
      whole.begin[d] = tile[d] * tile_size(d);
      whole.end[d] = std::min(extent(d), whole.begin[d] + tile_size(d));
    }
    place(whole);
    for (std::size_t r = 0; r < group_.runs.size(); ++r) {
      const RunPlan& run = group_.runs[r];
      const Domain& domain = domains_[static_cast<std::size_t>(run.first)];
      Box own;
      for (int d = 0; d < 3; ++d) {
        own_items(extent(d), domain.begin.along(d), domain.end.along(d), whole.begin[d],
                  whole.end[d], own.begin[d], own.end[d]);
      }
      Box box = own;
      for (int d = 0; d < 3; ++d) {
        if (run.low.along(d) == 0 && run.high.along(d) == 0) continue;
        grown_items(extent(d), domain.begin.along(d), domain.end.along(d),
                    dimension_of<C>(d).edge == Edge::periodic, run.low.along(d), run.high.along(d),
                    box.begin[d], box.end[d]);
      }
      if (group_.rolls) {
        // What it computes ahead of a tile is its own as well, up to the end of the march.
        own_items(extent(m), domain.begin.along(m), domain.end.along(m), march.begin * tile_size(m),
                  std::min(extent(m), march.end * tile_size(m)), own.begin[m], own.end[m]);
        if (tile[m] != march.begin) box.begin[m] = std::max(box.begin[m], done_[r]);
        done_[r] = std::max(box.end[m], box.begin[m]);
      }
      if (!box.empty()) functions_[r](call_.chain, memory_, box, own);
    }
  }

  const Call<C, T>& call_;
  const Plan& plan_;
  const GroupPlan& group_;
  int thread_, threads_;
  M memory_;
  std::vector<RunBox<C, M>> functions_;
  std::vector<Index> done_;
  std::vector<Domain> domains_;
};

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME

namespace ridge::chain {

template <class C, class T>
void Executor<C, T, target::Cpu>::run(Queue& /*queue*/, const Call<C, T>& call,
                                      const CpuSchedule& s) {
  const int threads = cpu_threads(s, call.plan->extents);
  const auto groups = [&](int thread, int all, const GroupPlan& group) {
    cpu::Worker<C, T>(call, group, s.streams, thread, all).run();
    if (s.store == Store::nontemporal) store_fence();
  };
  for (const GroupPlan& group : call.plan->groups) {
    ridge::cpu::run(threads, [&](int thread, int all) { groups(thread, all, group); });
  }
}

template <class C, class T>
KernelFacts Executor<C, T, target::Cpu>::facts(Queue& /*queue*/, const Call<C, T>& /*call*/) {
  return {};
}

} // namespace ridge::chain
