// The launches of a reduction without a loop.
#pragma once

#include <ridge/lattice/gpu/flat_launch.hpp>
#include <ridge/lattice/gpu/fold.hpp>
#include <ridge/lattice/gpu/once_reduce.hpp>
#include <ridge/lattice/variant.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Rows of a slice that folding leaves, at most.
inline constexpr Index most_folded = 512;
/// Partial results that a folding block adds up, at least: four a thread.
inline constexpr Index least_folded = 4 * finish_threads;

/// Pass, fold where there is much left, and finish.
template <class Body>
struct OnceLaunches {
  using A = typename Body::Sum;
  Ready<Body> pass;
  std::optional<Ready<FoldPass<A>>> fold;
  Ready<FinishPass<A>> finish;

  void operator()() {
    pass();
    if (fold) (*fold)();
    finish();
  }
};

/// With what the pass leaves after `plan`.
template <class Body>
Bound bind_with_fold(Queue& queue, const FlatPlan& plan, const Body& body) {
  using A = typename Body::Sum;
  const Partials& from = plan.partials;
  const Index slices = plan.results.slices;
  Partials left = from;
  std::optional<Ready<FoldPass<A>>> fold;
  if (from.rows * from.words > easily_finished) {
    const Index columns = from.columns();
    const Index chunk = std::max(ceil_div(from.rows, most_folded), ceil_div(least_folded, columns));
    left.rows = ceil_div(from.rows, chunk);
    const Index used = slices * from.rows * columns * A::words;
    left.w = {from.w.data + used, from.w.size - used};
    if (slices * left.rows > INT_MAX) throw UsageError("too many slices for one launch");
    const LaunchShape shape{{static_cast<int>(slices * left.rows), 1, 1},
                            {finish_threads, 1, 1},
                            finish_threads * static_cast<int>(sizeof(A))};
    fold.emplace(queue, shape, FoldPass<A>{from, left, static_cast<int>(chunk)});
  }
  return Bound(OnceLaunches<Body>{Ready<Body>(queue, plan.shape, body), std::move(fold),
                                  ready_finish<A>(queue, left, plan.results)});
}

/// Slices, tensors and binned sums are as in loops, which then end after a batch.
template <class R, bool Crossed, class A, int Items, class T>
Bound bind_once(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s) {
  const Operands<R, T> operands{call.x, call.y, call.z, call.reduction};
  if constexpr (A::words == 1 && !R::by_component) {
    if (call.dimension < 0) {
      using Body = OnceReduce<T, R, Crossed, A, Items>;
      const FlatPlan plan = plan_flat<Body>(queue, call, s, {}, most_folded);
      return bind_with_fold(
          queue, plan, Body{operands, plan.walk.total, plan.partials.w, plan.partials.elements});
    }
  }
  using Body = FlatReduce<T, R, Crossed, A, Items>;
  const FlatPlan plan = plan_flat<Body>(queue, call, s, {}, most_folded);
  return bind_with_fold(queue, plan, Body{operands, plan.walk, plan.partials, plan.results, {}});
}

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
