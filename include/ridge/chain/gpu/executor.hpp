// The chain pattern on GPUs: which kernel runs which group, and its launch. A launch is an
// operation over all items, operations joined item by item (points, or lanes that march where the
// ends are given), operations that pass values
// from lane to lane of a warp (exchange) or of a block (block exchange) or from row to row (march),
// columns of operations that scan, or tiles in shared memory.
#pragma once

#include <ridge/chain/executor.hpp>
#include <ridge/chain/gpu/bodies.hpp>
#include <ridge/chain/gpu/narrowed.hpp>
#include <ridge/chain/variants.hpp>
#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/device/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

inline constexpr Index most_blocks_yz = 65535;

/// A launch with all that can be done once done. Asking for what the kernel takes loads it, which
/// recording a graph must not.
template <class Body>
Bound bind_body(Queue& queue, const LaunchShape& shape, const Body& body) {
  return Bound(Ready<Body>(queue, shape, body), kernel_resources<Body>(queue));
}

template <class C, class T, int First, int Last, int Items>
Bound bind_items(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  constexpr Domain d = domain_of<Operation<C, First>>();
  const Index3 n = call.plan->extents;
  const Dim3 grid{
      static_cast<int>(tiles_of(n.x + d.end.x - d.begin.x, Index{s.block.x} * Items)),
      static_cast<int>(std::min(tiles_of(n.y + d.end.y - d.begin.y, s.block.y), most_blocks_yz)),
      static_cast<int>(
          std::min(tiles_of((n.z + d.end.z - d.begin.z) * call.plan->instances, s.block.z),
                   most_blocks_yz))};
  return bind_body(queue, {grid, s.block, 0},
                   Points<C, T, First, Last, Items>{
                       call.chain, narrowed<C, T, First, Last, false>(call.windows), n});
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
        (call.plan->extents.z > 1 && !whole(w.plane * bytes)) ||
        (call.plan->instances > 1 && !whole(w.instance * bytes)))
      return false;
  }
  return true;
}

/// True where rows of a run are whole packs that begin at whole accesses.
template <class C, class T, int First, int Last>
bool in_packs(const Call<C, T>& call, int items) {
  constexpr Domain d = domain_of<Operation<C, First>>();
  const Index whole = items * static_cast<Index>(sizeof(T));
  bool all = (call.plan->extents.x + d.end.x - d.begin.x) % items == 0 && d.begin.x % items == 0;
  for (int i = 0; i < arrays_of<C>; ++i) {
    if (!read_in<C>(First, Last, i) && !written_in<C>(First, Last, i)) continue;
    const Window<T>& w = call.windows.of[i];
    const auto begin = static_cast<Index>(reinterpret_cast<std::uintptr_t>(w.data));
    all = all && begin % whole == 0 && w.row % items == 0 && w.plane % items == 0;
  }
  return all;
}

/// Lanes that march: as many items a lane as the schedule has steps, along the last dimension, or
/// as many packs.
template <class C, class T, int First, int Last, int Items = 1>
Bound bind_points_march(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  using Body = PointsMarch<C, T, First, Last, Items>;
  constexpr Domain d = domain_of<Operation<C, First>>();
  const Index3 n = call.plan->extents;
  MarchSteps<C> steps{};
  for (int i = 0; i < arrays_of<C>; ++i)
    steps.of[i] = Body::march == 1 ? call.windows.of[i].row : call.windows.of[i].plane;
  const auto blocks = [&](Index items, Index in_block) {
    return static_cast<int>(std::min(tiles_of(items, in_block), most_blocks_yz));
  };
  const Index items = Body::march == 1 ? n.y + d.end.y - d.begin.y : n.z + d.end.z - d.begin.z;
  const Index threads = Body::march == 1 ? s.block.y : s.block.z;
  const Index rows = std::max(std::min<Index>(s.steps, items), tiles_of(items, most_blocks_yz));
  Dim3 grid{static_cast<int>(tiles_of(n.x + d.end.x - d.begin.x, Index{s.block.x} * Items)), 1, 1};
  (Body::march == 1 ? grid.y : grid.z) = blocks(items, rows * threads);
  if (Body::march == 2) grid.y = blocks(n.y + d.end.y - d.begin.y, s.block.y);
  return bind_body(queue, {grid, s.block, 0},
                   Body{call.chain, narrowed<C, T, First, Last, false>(call.windows), steps, n,
                        static_cast<int>(rows)});
}

/// Arrays by their first items; nothing where rows or planes of one are longer than those of
/// another, or items of a lane do not begin at whole accesses.
template <class C, class T, int First, int Last>
std::optional<AlikeWindows<C, T, First, Last>> alike(const Call<C, T>& call) {
  constexpr auto bytes = static_cast<Index>(sizeof(T));
  constexpr Index whole = items_alike<T> * bytes;
  AlikeWindows<C, T, First, Last> made;
  int next = 0;
  for (int i = 0; i < arrays_of<C>; ++i) {
    if (!made.has(i)) continue;
    const Window<T>& w = call.windows.of[i];
    if (next == 0) made.row = w.row, made.plane = w.plane;
    const auto begin = static_cast<Index>(reinterpret_cast<std::uintptr_t>(w.data));
    if (w.row != made.row || w.plane != made.plane || begin % whole != 0 ||
        w.row * bytes % whole != 0 || w.plane * bytes % whole != 0)
      return std::nullopt;
#if defined(RIDGE_TARGET_SIMT)
    made.before[next] =
        beyond_of<C>(i, 0) + beyond_of<C>(i, 1) * w.row + beyond_of<C>(i, 2) * w.plane;
    made.size[next] = w.size + 2 * made.before[next];
#endif
    made.data[next++] = w.data;
  }
  return made;
}

template <class C, class T, int First, int Last>
Bound bind_alike(Queue& queue, const Call<C, T>& call, const GpuSchedule& s,
                 const AlikeWindows<C, T, First, Last>& windows) {
  constexpr int items = items_alike<T>;
  constexpr Domain d = domain_of<Operation<C, First>>();
  const Index3 n = call.plan->extents;
  const auto blocks = [](Index all, Index each) {
    return static_cast<int>(std::min(tiles_of(all, each), most_blocks_yz));
  };
  const Dim3 grid{static_cast<int>(tiles_of(n.x + d.end.x - d.begin.x, Index{s.block.x} * items)),
                  blocks(n.y + d.end.y - d.begin.y, s.block.y),
                  blocks(n.z + d.end.z - d.begin.z, s.block.z)};
  return bind_body(queue, {grid, s.block, 0},
                   PointsAlike<C, T, First, Last, items>{call.chain, windows, n});
}

/// Lanes that tell interior items from others; empty where there are too many blocks or items.
template <class C, class T, int First, int Last>
Bound bind_apart(Queue& queue, const Call<C, T>& call, const GpuSchedule& s,
                 const AlikeWindows<C, T, First, Last>& windows) {
  constexpr Domain d = domain_of<Operation<C, First>>();
  const Index3 n = call.plan->extents;
  const Index blocks[3] = {tiles_of(n.x + d.end.x - d.begin.x, s.block.x),
                           tiles_of(n.y + d.end.y - d.begin.y, s.block.y),
                           tiles_of(n.z + d.end.z - d.begin.z, s.block.z)};
  constexpr Index most_items = Index{1} << 30; // places are of 32 bits
  if (blocks[1] > most_blocks_yz || blocks[2] > most_blocks_yz || n.x > most_items) return {};
  const Dim3 grid{static_cast<int>(blocks[0]), static_cast<int>(blocks[1]),
                  static_cast<int>(blocks[2])};
  return bind_body(queue, {grid, s.block, 0},
                   PointsApart<C, T, First, Last>{
                       call.chain, windows, narrowed<C, T, First, Last, false>(call.windows), n});
}

/// How far behind the begin of a line of memory rows begin, in elements; 0 where they differ.
template <class T>
int items_behind_line(const T* data, Index row) {
  constexpr std::uintptr_t line = 128;
  if (static_cast<std::uintptr_t>(row) * sizeof(T) % line != 0) return 0;
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % line / sizeof(T));
}

/// The items around the interior, which begins and ends at whole packs of `each`.
template <class C, class T, int First, int Last>
PointsShell<C, T, First, Last> shell_of(const Call<C, T>& call, int each) {
  constexpr Domain d = domain_of<Operation<C, First>>();
  constexpr Domain in = interior_of<C, First, Last>();
  const Index3 n = call.plan->extents;
  PointsShell<C, T, First, Last> made{
      call.chain, narrowed<C, T, First, Last, false>(call.windows), n, {}, {}};
  ItemBox all;
  for (int k = 0; k < 3; ++k) {
    const auto extent = static_cast<int>(k == 0 ? n.x : k == 1 ? n.y : n.z);
    const int items = k == 0 ? each : 1;
    all.begin[k] = d.begin.along(k);
    all.end[k] = extent + d.end.along(k);
    made.inner.begin[k] = tiles_of(std::max(in.begin.along(k), d.begin.along(k)), items) * items;
    made.inner.end[k] = (extent + std::min(in.end.along(k), d.end.along(k))) / items * items;
  }
  made.shell = shell_between(all, made.inner);
  return made;
}

/// Lanes for the items around the interior alone; empty where there is no interior, or places do
/// not fit 32 bits.
template <class C, class T, int First, int Last>
Bound bind_shell(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  const Index3 n = call.plan->extents;
  if (n.x * n.y * n.z > Index{1} << 30) return {};
  const auto body = shell_of<C, T, First, Last>(call, 1);
  if (body.inner.items() == 0) return {};
  const auto blocks = static_cast<int>(tiles_of(body.shell.items(), s.block.count()));
  return bind_body(queue, {{blocks, 1, 1}, s.block, 0}, body);
}

/// Lanes that march through interior items, and others for the shell around these; empty where
/// there is no interior of whole accesses, or places do not fit 32 bits.
template <class C, class T, int First, int Last>
Bound bind_interior(Queue& queue, const Call<C, T>& call, const GpuSchedule& s,
                    const AlikeWindows<C, T, First, Last>& windows) {
  constexpr int items = interior_items<C, T, First, Last>();
  using Body = PointsInterior<C, T, First, Last, items>;
  constexpr Index most = Index{1} << 30;
  const Index3 n = call.plan->extents;
  if (n.x % items != 0 || !in_packs<C, T, First, Last>(call, items) ||
      std::max(n.z * windows.plane, n.y * windows.row) > most || n.x > most)
    return {};
  Body body{shell_of<C, T, First, Last>(call, items),
            windows,
            {},
            1,
            items_behind_line(windows.data[0], windows.row)};
  const ItemBox& inner = body.around.inner;
  if (inner.items() == 0) return {};
  const int marched = inner.extent(Body::march);
  body.rows = std::min(s.steps, marched);
  const auto blocks = [](Index all, Index each) { return static_cast<int>(tiles_of(all, each)); };
  body.blocks[0] = blocks(inner.end[0] + body.before, Index{s.block.x} * items);
  body.blocks[1] = Body::march == 1 ? blocks(marched, Index{body.rows} * s.block.y)
                                    : blocks(inner.extent(1), s.block.y);
  body.blocks[2] = Body::march == 1 ? 1 : blocks(marched, Index{body.rows} * s.block.z);
  const int inside = body.blocks[0] * body.blocks[1] * body.blocks[2];
  const int shell = blocks(body.around.shell.items(), s.block.count());
  return bind_body(queue, {{inside + shell, 1, 1}, s.block, 0}, body);
}

template <class C, class T, int First, int Last>
Bound bind_points(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  if constexpr (run_marches<C, First, Last>()) {
    constexpr int items = items_marched<C, T, First, Last>;
    if constexpr (items > 1) {
      if (in_packs<C, T, First, Last>(call, items))
        return bind_points_march<C, T, First, Last, items>(queue, call, s);
    }
    if constexpr (items > 2) {
      if (in_packs<C, T, First, Last>(call, 2))
        return bind_points_march<C, T, First, Last, 2>(queue, call, s);
    }
    return bind_points_march<C, T, First, Last>(queue, call, s);
  } else {
    if constexpr (may_be_alike<C, First, Last>()) {
      if (const auto windows = alike<C, T, First, Last>(call))
        return bind_alike<C, T, First, Last>(queue, call, s, *windows);
    }
    if constexpr (!may_be_apart<C, First, Last>()) {
    } else if constexpr (has_interior_done<C>) {
      if (Bound bound = bind_shell<C, T, First, Last>(queue, call, s)) return bound;
    } else {
      if (const auto windows = alike<C, T, First, Last>(call)) {
        if constexpr (may_march_interior<C, T, First, Last>()) {
          if (s.steps > 1) {
            if (Bound bound = bind_interior<C, T, First, Last>(queue, call, s, *windows))
              return bound;
          }
        }
        if (Bound bound = bind_apart<C, T, First, Last>(queue, call, s, *windows)) return bound;
      }
    }
    if constexpr (takes_packs<C, First, Last>()) {
      if (aligned<C, T, First, Last>(call))
        return bind_items<C, T, First, Last, items_of_pack<T>>(queue, call, s);
    }
    return bind_items<C, T, First, Last, 1>(queue, call, s);
  }
}

inline void refuse_many_blocks(const Index (&blocks)[3], const GroupPlan& group) {
  if (blocks[1] <= most_blocks_yz && blocks[2] <= most_blocks_yz) return;
  throw UsageError("tiles of " + to_text(TileShape{group.tile.x, group.tile.y, group.tile.z}) +
                   " are more than the 65535 blocks along y or z that a launch may have; take "
                   "larger tiles or more steps");
}

template <class C, class T, int First, int Last>
Bound bind_tiles(Queue& queue, const Call<C, T>& call, const GroupPlan& group,
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
            narrowed<C, T, First, Last, true>(call.windows),
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
  return bind_body(
      queue,
      {{static_cast<int>(blocks[0]), static_cast<int>(blocks[1]), static_cast<int>(blocks[2])},
       s.block,
       static_cast<int>(shared.value)},
      body);
}

/// Groups whose lanes keep what they compute.
template <class Body, class C, class T, int First, int Last>
Bound bind_lanes(Queue& queue, const Call<C, T>& call, const GroupPlan& group,
                 const GpuSchedule& s) {
  const Plan& plan = *call.plan;
  Body body{call.chain, narrowed<C, T, First, Last, false>(call.windows), plan.extents, group.tile};
  constexpr int march = static_cast<int>(C::dimensions.size()) - 1;
  Index& rows = march == 0 ? body.tile.x : march == 1 ? body.tile.y : body.tile.z;
  rows = std::min(rows * s.steps, march == 0   ? plan.extents.x
                                  : march == 1 ? plan.extents.y
                                               : plan.extents.z);
  const Index blocks[3] = {tiles_of(plan.extents.x, body.tile.x),
                           tiles_of(plan.extents.y, body.tile.y),
                           tiles_of(plan.extents.z, body.tile.z)};
  refuse_many_blocks(blocks, group);
  using F = Flow<C, First, Last>;
  Dim3 block = s.block;
  const int width = queue.device().facts().warp_width;
  if (block.count() % width != 0 && F::passing == Passing::lanes) {
    block = {static_cast<int>((block.count() + width - 1) / width * width), 1, 1}; // whole warps
  }
  Bytes shared;
  if constexpr (F::passing == Passing::block) {
    block = block_of_rows(block, F::overlap(F::along), F::along);
    shared.value = Index{most_block_threads} * F::shared_arrays.count * Index{sizeof(T)};
    const Bytes room = queue.device().facts().shared_per_block;
    if (shared > room) {
      throw UsageError("a block of " + to_text(BlockShape{block}) + " threads needs " +
                       to_text(shared) + " of shared memory; it has " + to_text(room) +
                       ": take fewer threads");
    }
  }
  return bind_body(
      queue,
      {{static_cast<int>(blocks[0]), static_cast<int>(blocks[1]), static_cast<int>(blocks[2])},
       block,
       static_cast<int>(shared.value)},
      body);
}

/// Runs over elements, in whole warps.
template <class C, class T, int First, int Last>
Bound bind_elements(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  using Body = Elements<C, T, First, Last>;
  const auto width = std::max(queue.device().facts().warp_width, 1);
  const auto threads =
      std::min(most_block_threads, static_cast<int>(ceil_div(s.block.count(), width)) * width);
  const Index in_block = Index{threads / width} * (width / Body::lanes);
  const Index blocks = tiles_of(Body::count(call.plan->extents) * call.plan->instances, in_block);
  return bind_body(queue, {{static_cast<int>(blocks), 1, 1}, {threads, 1, 1}, 0},
                   Body{call.chain, narrowed<C, T, First, Last, false>(call.windows),
                        call.plan->extents, aligned<C, T, First, Last>(call)});
}

/// Groups that scan: as many lanes with a column each as the block is asked to have.
template <class C, class T, int First, int Last>
Bound bind_columns(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  using F = Flow<C, First, Last>;
  constexpr Domain d = domain_of<Operation<C, First>>();
  constexpr int along = column_dimension<C>;
  const Index3 n = call.plan->extents;
  const Index columns = (n.x + d.end.x - d.begin.x) * (along == 1 ? 1 : n.y + d.end.y - d.begin.y);
  const Index levels = (along == 1 ? n.y : n.z) + F::kept_extra();
  const auto threads = static_cast<int>(s.block.count());
  const int ring = copies_asynchronously(queue.device()) ? F::ring_elements() : 0;
  const Index elements = column_elements(levels * F::column_arrays(), ring);
  const Bytes shared{elements * threads * static_cast<Index>(sizeof(T))};
  const Bytes room = queue.device().facts().shared_per_block;
  if (shared > room) {
    const Index fit = threads * room.value / shared.value;
    throw UsageError("columns of " + std::to_string(levels) + " levels need " + to_text(shared) +
                     " of shared memory for a block of " + std::to_string(threads) +
                     " threads, which has " + to_text(room) +
                     (fit > 0 ? ": take " + std::to_string(fit) + " threads at most, or fuse=none"
                              : std::string(": take fuse=none")));
  }
  return bind_body(
      queue,
      {{static_cast<int>(tiles_of(columns * call.plan->instances, threads)), 1, 1},
       {threads, 1, 1},
       static_cast<int>(shared.value)},
      Columns<C, T, First, Last>{call.chain, narrowed<C, T, First, Last, false>(call.windows), n,
                                 static_cast<int>(levels), static_cast<int>(elements)});
}

/// A group of which this source has the kernel.
template <class C, class T, int First, int Last>
Bound bind_compiled(Queue& queue, const Call<C, T>& call, const GroupPlan& group,
                    const GpuSchedule& s) {
  if constexpr (has_elements<C>) {
    if constexpr (run_end<C, First, Last>() == Last)
      return bind_elements<C, T, First, Last>(queue, call, s);
    return {};
  } else if constexpr (scan_in<C>(First, Last) != Scan::none) {
    if constexpr (Flow<C, First, Last>::passing == Passing::columns)
      return bind_columns<C, T, First, Last>(queue, call, s);
    return {};
  } else if constexpr (run_end<C, First, Last>() == Last) {
    return bind_points<C, T, First, Last>(queue, call, s);
  } else {
    constexpr Passing passing = Flow<C, First, Last>::passing;
    if constexpr (passing == Passing::march) {
      return bind_lanes<March<C, T, First, Last>, C, T, First, Last>(queue, call, group, s);
    } else if constexpr (passing == Passing::lanes) {
      return bind_lanes<Exchange<C, T, First, Last>, C, T, First, Last>(queue, call, group, s);
    } else if constexpr (passing == Passing::block) {
      return bind_lanes<BlockExchange<C, T, First, Last>, C, T, First, Last>(queue, call, group, s);
    } else {
      return bind_tiles<C, T, First, Last>(queue, call, group, s);
    }
  }
}

template <class C, class T>
Bound bind_group(Queue& queue, const Call<C, T>& call, const GroupPlan& group,
                 const GpuSchedule& s) {
  using List = GroupList<C>;
  Bound bound;
  choose_from<List>(OperationRange{group.first, group.last}, [&](auto i) {
    constexpr OperationRange r = List::values[i];
    bound = bind_compiled<C, T, r.first, r.last>(queue, call, group, s);
  });
  return bound;
}

/// The launches of a plan, one behind the other.
using Launches = std::vector<Bound>;
inline void run_all(const Launches& launches) {
  for (const Bound& launch : launches)
    launch.run();
}

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME

namespace ridge::chain {

template <class C, class T, class Target>
Bound Executor<C, T, Target>::bind(Queue& queue, const Call<C, T>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  gpu::Launches launches;
  KernelResources most;
  for (const GroupPlan& group : call.plan->groups) {
    Bound launch = gpu::bind_group(queue, call, group, s);
    if (!launch) return {};
    const KernelResources& takes = launch.takes();
    most = {std::max(most.registers, takes.registers),
            std::max(most.local_bytes, takes.local_bytes)};
    if (call.before_launch) {
      launches.emplace_back(
          [before = &call.before_launch, first = group.first] { (*before)(first); });
    }
    launches.push_back(std::move(launch));
  }
  if (s.graph == Graph::off) {
    return Bound([launches = std::move(launches)] { gpu::run_all(launches); }, most);
  }
  // The graph refers to the launches, which stay where they are when the two are moved.
  auto kept = std::make_unique<const gpu::Launches>(std::move(launches));
  auto graph = std::make_unique<ridge::Graph>(queue, [all = kept.get()] { gpu::run_all(*all); });
  return Bound([kept = std::move(kept), graph = std::move(graph)] { graph->launch(); }, most);
}

template <class C, class T, class Target>
const Offer Executor<C, T, Target>::offered = launch::offer<Executor, Call<C, T>>(kind_of<Target>,
                                                                                  this_source);

} // namespace ridge::chain
