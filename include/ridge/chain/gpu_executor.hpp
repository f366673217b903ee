// The chain pattern on GPUs: a launch an operation over all items, or several operations a launch,
// tile by tile, with temporaries in shared memory.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/executor.hpp>
#include <ridge/chain/gpu_exchange.hpp>
#include <ridge/chain/gpu_march.hpp>
#include <ridge/chain/gpu_places.hpp>
#include <ridge/chain/region.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// Of one access of a lane that takes several items.
inline constexpr int access_bytes = 16;
/// What such a lane takes of each array: two accesses, so that enough are under way.
template <class T>
inline constexpr int items_of_pack = 2 * access_bytes / static_cast<int>(sizeof(T));

/// The arrays as a lane of a launch of the operations GroupFirst to GroupLast reaches them. In
/// launches of tiles, temporaries that only these operations use are in shared memory.
template <class Lane, class C, class T, int GroupFirst, int GroupLast, bool Tiled>
struct Memory {
  Lane& lane;
  const Places<C, T, GroupFirst, GroupLast, Tiled>& places;
  const Index3& n;
  Index tile_x; ///< where the tile begins
  int shared_elements;
  bool everything; ///< false: only what the tile keeps for itself is written

  [[nodiscard]] RIDGE_DEVICE const Index3& extents() const { return n; }

  template <int I>
  static constexpr bool in_shared() {
    return Tiled && local_to<C>(GroupFirst, GroupLast, I);
  }
  /// In shared memory: only rings have masks, and only they may lack the other end of a dimension.
  template <int I, bool Edges>
  [[nodiscard]] RIDGE_DEVICE Index ring_place(Index x, Index y, Index z, Offset o) const {
    constexpr int rank = static_cast<int>(C::dimensions.size());
    constexpr Offset extra = C::arrays[I].extra;
    const Place<T>& w = places.template of<I>();
    const auto narrow = [](Index i) { return static_cast<Coordinate<C>>(i); };
    Coordinate<C> ix = narrow(x) + o.x;
    if constexpr (Edges) {
      ix = resolve<dimension_of<C>(0).edge>(ix, narrow(n.x + extra.x), w.part_x);
    }
    ix -= w.part_x ? narrow(tile_x) : Coordinate<C>{0};
    Index at = ix + w.offset;
    if constexpr (rank > 1) {
      const int iy = resolve<dimension_of<C>(1).edge>(static_cast<int>(y) + o.y,
                                                      static_cast<int>(n.y + extra.y), w.part_y);
      at += static_cast<Index>(iy & w.mask_y) * w.row;
    }
    if constexpr (rank > 2) {
      const int iz = resolve<dimension_of<C>(2).edge>(static_cast<int>(z) + o.z,
                                                      static_cast<int>(n.z + extra.z), w.part_z);
      at += static_cast<Index>(iz & w.mask_z) * w.plane_rows * w.row;
    }
    return at;
  }
  template <int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE Index place(Index x, Index y, Index z, Offset o) const {
    if constexpr (in_shared<I>()) {
      return ring_place<I, Edges>(x, y, z, o);
    } else {
      return place_in<C, I, Profile, Edges>(places.template of<I>(), n, x, y, z, o);
    }
  }

  template <class V, int K, int I, bool Profile, bool Edges>
  [[nodiscard]] RIDGE_DEVICE V load(Index x, Index y, Index z, Offset o) const {
#if defined(RIDGE_TARGET_SIMT)
    if (!within_reach<C, K, I>(o)) lane.undeclared_access(o.x, o.y, o.z);
#endif
    const Place<T>& w = places.template of<I>();
    const Index at = place<I, Profile, Edges>(x, y, z, o);
    if constexpr (in_shared<I>()) {
      const T value = lane.template shared<T>(0, shared_elements)[static_cast<int>(at)];
      return V(value);
    } else if constexpr (lanes_of<V> > 1) {
      return load_items<V, I>(at);
    } else if constexpr (written_in<C>(GroupFirst, GroupLast, I)) {
      return V(lane.load_written(Span<T>(w.data, w.elements()), at));
    } else {
      return V(lane.load(Span<const T>(Span<T>(w.data, w.elements())), at));
    }
  }
  /// Items in accesses of 16 bytes.
  template <class V, int I>
  [[nodiscard]] RIDGE_DEVICE V load_items(Index at) const {
    constexpr int each = access_bytes / static_cast<int>(sizeof(T));
    const Place<T>& w = places.template of<I>();
    V value;
    RIDGE_UNROLL
    for (int first = 0; first < lanes_of<V>; first += each) {
      Pack<T, each> part;
      if constexpr (written_in<C>(GroupFirst, GroupLast, I)) {
        RIDGE_UNROLL
        for (int i = 0; i < each; ++i)
          part.set(i, lane.load_written(Span<T>(w.data, w.elements()), at + first + i));
      } else {
        part =
            lane.template load_pack<each>(Span<const T>(Span<T>(w.data, w.elements())), at + first);
      }
      RIDGE_UNROLL
      for (int i = 0; i < each; ++i)
        value.set(first + i, part[i]);
    }
    return value;
  }
  template <class V>
  RIDGE_DEVICE void store_items(const Place<T>& w, Index at, const V& value) const {
    constexpr int each = access_bytes / static_cast<int>(sizeof(T));
    RIDGE_UNROLL
    for (int first = 0; first < lanes_of<V>; first += each) {
      Pack<T, each> part;
      RIDGE_UNROLL
      for (int i = 0; i < each; ++i)
        part.set(i, value[first + i]);
      lane.store(Span<T>(w.data, w.elements()), at + first, part);
    }
  }
  template <int I, class V>
  RIDGE_DEVICE void store(Index x, Index y, Index z, const V& value) const {
    const Index at = place<I, false, false>(x, y, z, {});
    if constexpr (in_shared<I>()) {
      const T number = value[0];
      lane.template shared<T>(0, shared_elements)[static_cast<int>(at)] = number;
    } else if constexpr (lanes_of<V> > 1) {
      store_items(places.template of<I>(), at, value);
    } else if (everything) {
      lane.store(Span<T>(places.template of<I>().data, places.template of<I>().elements()), at,
                 value[0]);
    }
  }
};

/// Whether a run reads nothing but the item itself along x: then lanes take several items at once.
template <class C, int First, int Last>
constexpr bool takes_packs() {
  if constexpr (First > Last) {
    return true;
  } else {
    if (domain_of<Operation<C, First>>().begin.x != 0) return false;
    for (const Access& a : Operation<C, First>::accesses) {
      if (a.profile || a.reach.low.x != 0 || a.reach.high.x != 0) return false;
    }
    return takes_packs<C, First + 1, Last>();
  }
}

/// The run First to Last over all its items, Items a lane.
template <class C, class T, int First, int Last, int Items>
struct Points {
  static constexpr int max_threads = most_block_threads;
  static constexpr const char* name = Operation<C, First>::name;

  C chain;
  Places<C, T, First, Last, false> places;
  Index3 n;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr Domain d = domain_of<Operation<C, First>>();
    const Dim3 b = lane.block();
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    const Dim3 grid = lane.grid_extent();
    const Memory<Lane, C, T, First, Last, false> memory{lane, places, n, 0, 0, true};
    const Index begin = d.begin.x + (Index{b.x} * shape.x + t.x) * Items;
    const Index end = n.x + d.end.x;
    for (Index z = d.begin.z + Index{b.z} * shape.z + t.z; z < n.z + d.end.z;
         z += Index{grid.z} * shape.z) {
      for (Index y = d.begin.y + Index{b.y} * shape.y + t.y; y < n.y + d.end.y;
           y += Index{grid.y} * shape.y) {
        Index x = begin;
        if constexpr (Items > 1) {
          if (x + Items <= end) {
            run_item<Pack<T, Items>, First, Last, false>(chain, memory, x, y, z);
            continue;
          }
        }
        for (; x < end && x < begin + Items; ++x)
          run_item<Pack<T, 1>, First, Last, true>(chain, memory, x, y, z);
      }
    }
  }
};

/// The last operation of the run that begins at K in a group that ends at Last.
template <class C, int K, int Last>
constexpr int run_end() {
  if constexpr (Last <= K) {
    return K;
  } else if constexpr (compiled_joined<C, K, Last>()) {
    return Last;
  } else {
    return run_end<C, K, Last - 1>();
  }
}
template <class C, int K, int Last>
constexpr int runs_from() {
  constexpr int end = run_end<C, K, Last>();
  if constexpr (end >= Last) {
    return 1;
  } else {
    return 1 + runs_from<C, end + 1, Last>();
  }
}

/// The operations First to Last over tiles, a tile a block: run after run, with a barrier between.
/// Blocks may compute several tiles one behind the other.
template <class C, class T, int First, int Last>
struct Tiles {
  static constexpr int max_threads = most_block_threads;
  static constexpr const char* name = C::name;
  static constexpr int runs = runs_from<C, First, Last>();
  /// Two blocks a multiprocessor hide each other's barriers: 128 registers where it has 64 Ki.
  static constexpr int min_blocks = 2;
  /// Tiles of a block follow each other along the last dimension.
  static constexpr int march = static_cast<int>(C::dimensions.size()) - 1;

  C chain;
  Places<C, T, First, Last, true> places;
  Index3 n;
  Index3 tile;
  Offset low[runs], high[runs];
  int steps;
  bool rolls;
  int shared_elements;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Dim3 b = lane.block();
    const Index extent[3] = {n.x, n.y, n.z};
    const Index size[3] = {tile.x, tile.y, tile.z};
    Index begin[3] = {b.x * tile.x, b.y * tile.y, b.z * tile.z};
    begin[march] *= steps;
    const Index chunk_begin = begin[march];
    Index chunk_end = chunk_begin + size[march] * steps;
    if (chunk_end > extent[march]) chunk_end = extent[march];
    Index done[runs];
    for (; begin[march] < chunk_end; begin[march] += size[march]) {
      Box whole;
      RIDGE_UNROLL
      for (int d = 0; d < 3; ++d) {
        whole.begin[d] = begin[d];
        whole.end[d] = begin[d] + size[d] < extent[d] ? begin[d] + size[d] : extent[d];
      }
      run_from<First, 0>(lane, whole, chunk_begin, chunk_end, done);
    }
  }

private:
  template <int K, int R, class Lane>
  RIDGE_DEVICE void run_from(Lane& lane, const Box& whole, Index chunk_begin, Index chunk_end,
                             Index (&done)[runs]) const {
    constexpr int end = run_end<C, K, Last>();
    constexpr Domain d = domain_of<Operation<C, K>>();
    // Not asked of C by number here: its arrays of declarations are the host's.
    constexpr bool periodic[3] = {dimension_of<C>(0).edge == Edge::periodic,
                                  dimension_of<C>(1).edge == Edge::periodic,
                                  dimension_of<C>(2).edge == Edge::periodic};
    const Index extent[3] = {n.x, n.y, n.z};
    Box own;
    Box box;
    RIDGE_UNROLL
    for (int i = 0; i < 3; ++i) {
      own_items(extent[i], d.begin.along(i), d.end.along(i), whole.begin[i], whole.end[i],
                own.begin[i], own.end[i]);
      box.begin[i] = own.begin[i];
      box.end[i] = own.end[i];
      const int before = low[R].along(i);
      const int behind = high[R].along(i);
      if (before != 0 || behind != 0) {
        grown_items(extent[i], d.begin.along(i), d.end.along(i), periodic[i], before, behind,
                    box.begin[i], box.end[i]);
      }
      if (rolls && i == march) {
        own_items(extent[i], d.begin.along(i), d.end.along(i), chunk_begin, chunk_end, own.begin[i],
                  own.end[i]);
        if (whole.begin[i] != chunk_begin && box.begin[i] < done[R]) box.begin[i] = done[R];
        done[R] = box.end[i];
      }
    }
    run_box<K, end>(lane, whole, box, own);
    lane.barrier();
    if constexpr (end < Last) run_from<end + 1, R + 1>(lane, whole, chunk_begin, chunk_end, done);
  }

  template <int K, int End, class Lane>
  RIDGE_DEVICE void run_box(Lane& lane, const Box& whole, const Box& box, const Box& own) const {
    const Dim3 t = lane.thread();
    const Dim3 shape = lane.block_extent();
    Memory<Lane, C, T, First, Last, true> memory{lane,           places,          n,
                                                 whole.begin[0], shared_elements, true};
    for (Index z = box.begin[2] + t.z; z < box.end[2]; z += shape.z) {
      for (Index y = box.begin[1] + t.y; y < box.end[1]; y += shape.y) {
        const bool mine =
            y >= own.begin[1] && y < own.end[1] && z >= own.begin[2] && z < own.end[2];
        for (Index x = box.begin[0] + t.x; x < box.end[0]; x += shape.x) {
          memory.everything = mine && x >= own.begin[0] && x < own.end[0];
          run_item<Pack<T, 1>, K, End, true>(chain, memory, x, y, z);
        }
      }
    }
  }
};

inline constexpr Index most_blocks_yz = 65535;

template <class C, class T, int First, int Last, int Items>
void launch_items(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  constexpr Domain d = domain_of<Operation<C, First>>();
  const Index3 n = call.plan->extents;
  const Dim3 grid{
      static_cast<int>(tiles_of(n.x + d.end.x - d.begin.x, Index{s.block.x} * Items)),
      static_cast<int>(std::min(tiles_of(n.y + d.end.y - d.begin.y, s.block.y), most_blocks_yz)),
      static_cast<int>(std::min(tiles_of(n.z + d.end.z - d.begin.z, s.block.z), most_blocks_yz))};
  launch_body(queue, {grid, s.block, 0},
              Points<C, T, First, Last, Items>{
                  call.chain, places_of<C, T, First, Last, false>(call.windows), n});
}

/// Whether all rows that a run reaches begin at whole accesses.
template <class C, class T, int First, int Last>
bool aligned(const Call<C, T>& call) {
  const auto whole = [](Index bytes) { return bytes % access_bytes == 0; };
  for (int i = 0; i < arrays_of<C>; ++i) {
    if (!read_in<C>(First, Last, i) && !written_in<C>(First, Last, i)) continue;
    const Window<T>& w = call.windows.of[i];
    const auto bytes = static_cast<Index>(sizeof(T));
    if (!whole(static_cast<Index>(reinterpret_cast<std::uintptr_t>(w.data))) ||
        (call.plan->extents.y > 1 && !whole(w.row * bytes)) ||
        (call.plan->extents.z > 1 && !whole(w.plane * bytes)))
      return false;
  }
  return true;
}

template <class C, class T, int First, int Last>
void launch_points(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  if constexpr (takes_packs<C, First, Last>()) {
    if (aligned<C, T, First, Last>(call)) {
      launch_items<C, T, First, Last, items_of_pack<T>>(queue, call, s);
      return;
    }
  }
  launch_items<C, T, First, Last, 1>(queue, call, s);
}

inline void refuse_many_blocks(const Index (&blocks)[3], const GroupPlan& group) {
  if (blocks[1] <= most_blocks_yz && blocks[2] <= most_blocks_yz) return;
  throw UsageError("tiles of " + to_text(TileShape{group.tile.x, group.tile.y, group.tile.z}) +
                   " are more than the 65535 blocks along y or z that a launch may have; take "
                   "larger tiles or more steps");
}

template <class C, class T, int First, int Last>
void launch_tiles(Queue& queue, const Call<C, T>& call, const GroupPlan& group,
                  const GpuSchedule& s) {
  using Body = Tiles<C, T, First, Last>;
  const Plan& plan = *call.plan;
  const Bytes shared{plan.tile_elements * static_cast<Index>(sizeof(T))};
  const Bytes room = queue.device().facts().shared_per_block;
  if (shared > room) {
    throw UsageError("a tile of " + to_text(TileShape{group.tile.x, group.tile.y, group.tile.z}) +
                     " needs " + to_text(shared) + " of shared memory; a block has " +
                     to_text(room) + ": take a smaller tile");
  }
  Body body{call.chain,
            places_of<C, T, First, Last, true>(call.windows),
            plan.extents,
            group.tile,
            {},
            {},
            s.steps,
            group.rolls && plan.march == Body::march,
            static_cast<int>(plan.tile_elements)};
  for (int r = 0; r < Body::runs; ++r) {
    body.low[r] = group.runs[static_cast<std::size_t>(r)].low;
    body.high[r] = group.runs[static_cast<std::size_t>(r)].high;
  }
  Index blocks[3] = {tiles_of(plan.extents.x, group.tile.x), tiles_of(plan.extents.y, group.tile.y),
                     tiles_of(plan.extents.z, group.tile.z)};
  blocks[Body::march] = tiles_of(blocks[Body::march], s.steps);
  refuse_many_blocks(blocks, group);
  launch_body(
      queue,
      {{static_cast<int>(blocks[0]), static_cast<int>(blocks[1]), static_cast<int>(blocks[2])},
       s.block,
       static_cast<int>(shared.value)},
      body);
}

/// Groups that need no shared memory: their lanes exchange values, or march.
template <class Body, class C, class T, int First, int Last>
void launch_lanes(Queue& queue, const Call<C, T>& call, const GroupPlan& group,
                  const GpuSchedule& s) {
  const Plan& plan = *call.plan;
  Body body{call.chain, places_of<C, T, First, Last, false>(call.windows), plan.extents,
            group.tile};
  constexpr int march = static_cast<int>(C::dimensions.size()) - 1;
  Index& rows = march == 0 ? body.tile.x : march == 1 ? body.tile.y : body.tile.z;
  rows = std::min(rows * s.steps, march == 0   ? plan.extents.x
                                  : march == 1 ? plan.extents.y
                                               : plan.extents.z);
  const Index blocks[3] = {tiles_of(plan.extents.x, body.tile.x),
                           tiles_of(plan.extents.y, body.tile.y),
                           tiles_of(plan.extents.z, body.tile.z)};
  refuse_many_blocks(blocks, group);
  Dim3 block = s.block;
  const int width = queue.device().facts().warp_width;
  if (block.count() % width != 0 && Flow<C, First, Last>::passing == Passing::lanes) {
    block = {static_cast<int>((block.count() + width - 1) / width * width), 1, 1}; // whole warps
  }
  launch_body(
      queue,
      {{static_cast<int>(blocks[0]), static_cast<int>(blocks[1]), static_cast<int>(blocks[2])},
       block,
       0},
      body);
}

/// The kernel of a group that does not run item by item.
template <class C, class T, int First, int Last>
struct GroupKernel {
  static constexpr Passing passing = Flow<C, First, Last>::passing;
  using Lanes = std::conditional_t<passing == Passing::march, March<C, T, First, Last>,
                                   Exchange<C, T, First, Last>>;
  using type = std::conditional_t<passing == Passing::memory, Tiles<C, T, First, Last>, Lanes>;
};

/// Calls f(First, Last, tiles) for the kernel of each group: single operations and runs joined in
/// registers are points, the others tiles.
template <class C, class F>
void for_each_kernel(F&& f) {
  constexpr int n = operations_of<C>;
  using std::integral_constant;
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (f(integral_constant<int, K>{}, integral_constant<int, K>{}), ...);
  }
  (std::make_integer_sequence<int, n>{});
  chain::detail::for_each_joined<C>(f);
  if constexpr (n > 1 && !compiled_joined<C, 0, n - 1>())
    f(integral_constant<int, 0>{}, integral_constant<int, n - 1>{});
  if constexpr (requires { C::groups; }) {
    [&]<int... G>(std::integer_sequence<int, G...>) {
      const auto one = [&]<int I>(integral_constant<int, I>) {
        constexpr int first = C::groups[I][0];
        constexpr int last = C::groups[I][1];
        if constexpr (!compiled_joined<C, first, last>() && !(first == 0 && last == n - 1))
          f(integral_constant<int, first>{}, integral_constant<int, last>{});
      };
      (one(integral_constant<int, G>{}), ...);
    }
    (std::make_integer_sequence<int, static_cast<int>(C::groups.size())>{});
  }
}

template <class C, class T>
void run_group(Queue& queue, const Call<C, T>& call, const GroupPlan& group, const GpuSchedule& s) {
  bool found = false;
  for_each_kernel<C>([&](auto first, auto last) {
    if (found || group.first != first || group.last != last) return;
    found = true;
    if constexpr (run_end<C, first, last>() == last) {
      launch_points<C, T, first, last>(queue, call, s);
    } else if constexpr (Flow<C, first, last>::passing != Passing::memory) {
      using Body = typename GroupKernel<C, T, first, last>::type;
      launch_lanes<Body, C, T, first, last>(queue, call, group, s);
    } else {
      launch_tiles<C, T, first, last>(queue, call, group, s);
    }
  });
}

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME

namespace ridge::chain {

template <class C, class T, class Target>
void Executor<C, T, Target>::run(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  for (const GroupPlan& group : call.plan->groups)
    gpu::run_group(queue, call, group, s);
}

template <class C, class T, class Target>
KernelFacts Executor<C, T, Target>::facts(Queue& queue, const Call<C, T>& call) {
  KernelFacts all;
  for (const GroupPlan& group : call.plan->groups) {
    gpu::for_each_kernel<C>([&](auto first, auto last) {
      if (group.first != first || group.last != last) return;
      KernelResources one;
      if constexpr (gpu::run_end<C, first, last>() == last) {
        constexpr int items = gpu::takes_packs<C, first, last>() ? gpu::items_of_pack<T> : 1;
        one = kernel_resources<gpu::Points<C, T, first, last, items>>(queue);
      } else {
        one = kernel_resources<typename gpu::GroupKernel<C, T, first, last>::type>(queue);
      }
      all.registers = std::max(all.registers, one.registers);
      all.local_bytes = std::max(all.local_bytes, one.local_bytes);
    });
  }
  return all;
}

} // namespace ridge::chain
