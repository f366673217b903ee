// The chain pattern on GPUs: which kernel runs which group, and its launch. A launch is an
// operation over all items, operations joined item by item (points), operations that pass values
// from lane to lane of a warp (exchange) or of a block (block exchange) or from row to row (march),
// or tiles in shared memory.
#pragma once

#include <ridge/chain/executor.hpp>
#include <ridge/chain/gpu_block.hpp>
#include <ridge/chain/gpu_exchange.hpp>
#include <ridge/chain/gpu_march.hpp>
#include <ridge/chain/gpu_points.hpp>
#include <ridge/chain/gpu_tiles.hpp>
#include <ridge/core/error.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

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

/// Groups whose lanes keep what they compute.
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
  using F = Flow<C, First, Last>;
  Dim3 block = s.block;
  const int width = queue.device().facts().warp_width;
  if (block.count() % width != 0 && F::passing == Passing::lanes) {
    block = {static_cast<int>((block.count() + width - 1) / width * width), 1, 1}; // whole warps
  }
  Bytes shared;
  if constexpr (F::passing == Passing::block) {
    block = block_of_rows(block, F::overlap(F::along), F::along);
    shared.value = Index{most_block_threads} * F::shared_places.count * Index{sizeof(T)};
    const Bytes room = queue.device().facts().shared_per_block;
    if (shared > room) {
      throw UsageError("a block of " + to_text(BlockShape{block}) + " threads needs " +
                       to_text(shared) + " of shared memory; it has " + to_text(room) +
                       ": take fewer threads");
    }
  }
  launch_body(
      queue,
      {{static_cast<int>(blocks[0]), static_cast<int>(blocks[1]), static_cast<int>(blocks[2])},
       block,
       static_cast<int>(shared.value)},
      body);
}

/// The kernel of a group that does not run item by item.
template <class C, class T, int First, int Last>
struct GroupKernel {
  static auto kernel() {
    constexpr Passing passing = Flow<C, First, Last>::passing;
    if constexpr (passing == Passing::march) {
      return std::type_identity<March<C, T, First, Last>>{};
    } else if constexpr (passing == Passing::lanes) {
      return std::type_identity<Exchange<C, T, First, Last>>{};
    } else if constexpr (passing == Passing::block) {
      return std::type_identity<BlockExchange<C, T, First, Last>>{};
    } else {
      return std::type_identity<Tiles<C, T, First, Last>>{};
    }
  }
  using type = typename decltype(kernel())::type;
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
