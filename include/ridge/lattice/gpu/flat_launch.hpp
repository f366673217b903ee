// From a reduction of flat memory and its schedule to the launches that do it.
#pragma once

#include <ridge/lattice/gpu/block.hpp>
#include <ridge/lattice/gpu/finish_launch.hpp>
#include <ridge/lattice/gpu/rolling_reduce.hpp>
#include <ridge/launch/bound.hpp>

#include <climits>
#include <optional>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Doubles of the queue's scratch memory, after the first `used` bytes of it.
inline Span<double> scratch_doubles(Queue& queue, Index count, Bytes used) {
  char* const memory = static_cast<char*>(queue.scratch(used + Bytes{count * 8}));
  return {reinterpret_cast<double*>(memory + used.value), count};
}

/// Blocks of fewer threads take turns: what one of them reads at once is less than memory likes.
inline constexpr int least_share_threads = 128;

/// A launch over flat memory: its shape, and where everything is.
struct FlatPlan {
  LaunchShape shape;
  FlatWalk walk;
  Partials partials;
  Results results;
};

/// With room behind the partial results of the threads or blocks for those that folding leaves, as
/// many as they are and at most `folded` rows a slice.
template <class Body, class R, class T>
FlatPlan plan_flat(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s, Bytes used,
                   Index folded = 0) {
  using A = typename Body::Sum;
  const SliceWalk slices = slice_walk(call);
  const int threads = block_threads(s, call.geometry, Body::max_threads);
  constexpr bool keyed = R::by_component;

  FlatPlan plan;
  FlatWalk& walk = plan.walk;
  walk.run = slices.run / 16;
  walk.gap = (slices.slices - 1) * walk.run;
  walk.total = slices.outer * walk.run;
  const bool by_lane = keyed || slices.boxes > 1 || call.boxed;
  walk.words = by_lane ? call.geometry.nsimd * call.shape.number_bytes() / 16 : 1;
  walk.period = (keyed ? call.shape.components : 1) * walk.words;
  walk.combine = threads % walk.period == 0;
  walk.last = s.finish == Finish::last;

  plan.shape = {{1, 1, 1}, {threads, 1, 1}, threads * static_cast<int>(sizeof(A))};
  const Index wanted = ceil_div(walk.total, Index{threads} * Body::items);
  const Index units = std::max(queue.device().facts().units, 1);
  Index blocks = wanted;
  const bool once = s.reduce == Passes::once; // no block loops
  if (once) {
    const Index periods = ceil_div(ceil_div(walk.total, Body::items), walk.period);
    if (!walk.combine) blocks = ceil_div(periods * walk.period, threads);
  } else {
    if (s.spread > 0) {
      blocks = units * s.spread;
    } else if (wanted * slices.slices > units) {
      blocks = resident_blocks<Body>(queue, plan.shape);
    }
    blocks = std::clamp<Index>(blocks / slices.slices, 1, wanted);
    if (!walk.combine) blocks = std::max(blocks, ceil_div(walk.period, threads));
  }
  const Index grid = blocks * slices.slices;
  if (grid > INT_MAX) {
    throw UsageError("groups=" + std::to_string(s.groups) +
                     " makes too many blocks for a field of this size");
  }
  walk.blocks = static_cast<int>(blocks);
  walk.active = blocks * threads;
  if (Body::shares && walk.combine && (once || threads >= least_share_threads)) {
    walk.stride = threads;
    walk.share = ceil_div(ceil_div(walk.total, blocks), threads) * threads;
  } else {
    walk.active = walk.active / walk.period * walk.period;
    walk.stride = walk.active;
  }
  walk.rest = walk.stride % walk.run;
  walk.hop = walk.rest + walk.stride / walk.run * (walk.run + walk.gap);
  plan.shape.grid.x = static_cast<int>(grid);

  Partials& partials = plan.partials;
  partials.elements = slices.boxes == 1 ? call.parts() : Body::elements;
  partials.keys = keyed ? call.shape.components : 1;
  partials.words = walk.combine && slices.boxes == 1 ? 1 : walk.words;
  partials.rows = walk.combine ? blocks : walk.active / walk.period;
  const Index rows = slices.slices * (partials.rows + std::min(partials.rows, folded));
  partials.w = scratch_doubles(queue, rows * partials.columns() * A::words, used);
  plan.results = {call.result,        slices.slices, slices.boxes,
                  slices.lane_stride, call.parts(),  call.shape.parts()};
  walk.team = threads;
  if (const Index count = plan.results.count(partials.keys); count > 1) {
    walk.team = 1;
    while (walk.team * 2 * count <= threads)
      walk.team *= 2;
  }
  return plan;
}

/// A pass over flat memory and, where its blocks do not finish, the launch that does.
template <class Body>
struct FlatLaunches {
  Ready<Body> pass;
  std::optional<Ready<FinishPass<typename Body::Sum>>> finish;

  void operator()() {
    pass();
    if (finish) (*finish)();
  }
};

template <class R, bool Crossed, class A, int Items, class T>
auto flat_launches(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s,
                   Bytes used = {}) {
  using Body = FlatReduce<T, R, Crossed, A, Items>;
  const FlatPlan plan = plan_flat<Body>(queue, call, s, used);
  auto* const counter = static_cast<unsigned*>(queue.counters(Bytes{sizeof(unsigned)}));
  FlatLaunches<Body> launches{Ready<Body>(queue, plan.shape,
                                          Body{{call.x, call.y, call.z, call.reduction},
                                               plan.walk,
                                               plan.partials,
                                               plan.results,
                                               {counter, 1}}),
                              {}};
  if (!plan.walk.last) launches.finish = ready_finish<A>(queue, plan.partials, plan.results);
  return launches;
}

/// Launches over a whole field with words that roll through the registers of each thread.
template <class R, bool Crossed, int Items, class T>
Bound bind_rolling(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s) {
  using Body = RollReduce<T, R, Crossed, Items>;
  using A = typename Body::Sum;
  const FlatPlan plan = plan_flat<Body>(queue, call, s, {});
  const Index least = plan.walk.total / plan.walk.active; // words that each thread has
  if (least < Items) return Bound(flat_launches<R, Crossed, A, Items / 2>(queue, call, s));
  const auto more = static_cast<int>(least - Items);
  return Bound(FlatLaunches<Body>{Ready<Body>(queue, plan.shape,
                                              Body{{call.x, call.y, call.z, call.reduction},
                                                   plan.walk,
                                                   more / Body::round,
                                                   more % Body::round / Items,
                                                   plan.partials}),
                                  ready_finish<A>(queue, plan.partials, plan.results)});
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
