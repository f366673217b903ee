// The launches of sums of a box.
#pragma once

#include <ridge/lattice/gpu/box_reduce.hpp>
#include <ridge/lattice/gpu/flat_launch.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Rounds of chunks, where there are words for so many: rows differ in what a thread skips.
inline constexpr Index box_rounds = 4;

/// Words that a thread has on their way: of two operands as many as AMD's lanes have registers for.
template <bool Two, int Items>
inline constexpr int box_items =
#if defined(RIDGE_TARGET_HIP)
    Two ? 1 : Items;
#else
    Items;
#endif

template <class R, bool Crossed, int Items, class T>
Bound bind_box(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s) {
  using Body = BoxReduce<T, R, Crossed, Items>;
  using A = typename Body::Sum;
  FlatPlan plan = plan_flat<Body>(queue, call, s, {});
  FlatWalk& walk = plan.walk;
  BoxWalk box{BoxRows(call.geometry, call.box, call.dimension), 0, 0, 0, 0};
  box.group_words = Index{call.geometry.nsimd} * call.shape.site_bytes() / 16;
  box.team = plan.shape.block.x;
  if (!walk.combine) { // blocks do not end where components do
    const auto most = static_cast<int>(walk.active / walk.period);
    box.team = walk.period * std::clamp(least_share_threads / walk.period, 1, most);
  }
  const Index row_words = std::max<Index>(box.rows.length * box.group_words, 1);
  const Index wanted = box_rounds * (walk.active / box.team) / std::max<Index>(box.rows.rows, 1);
  const Index batch = Index{box.team} * Items;
  const Index cut = std::clamp<Index>(wanted, 1, ceil_div(row_words, batch));
  box.chunk = ceil_div(ceil_div(row_words, cut), batch) * batch;
  box.chunks = ceil_div(row_words, box.chunk);

  walk.last = false;
  walk.stride = box.team;
  return Bound(
      [pass = Ready<Body>(
           queue, plan.shape,
           Body{{{call.x, call.y, {}, call.reduction}, walk, plan.partials, plan.results, {}},
                box,
                call.shape.parts()}),
       finish = ready_finish<A, true>(queue, plan.partials, plan.results)]() mutable {
        pass();
        finish();
      });
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
