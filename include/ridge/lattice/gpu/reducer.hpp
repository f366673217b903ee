// Reductions on GPUs: from a schedule to a compiled variant.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/gpu/box_launch.hpp>
#include <ridge/lattice/gpu/flat_launch.hpp>
#include <ridge/lattice/gpu/once_launch.hpp>
#include <ridge/lattice/gpu/staged_launch.hpp>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

template <ReduceVariant V, class R, class T>
Bound bind_reduction(Queue& queue, const ReduceCall<R, T>& call, const GpuSchedule& s) {
  constexpr bool two = Loaded<T, R>::two; // accesses under way are those of both operands
  if constexpr (V.passes == Passes::staged) {
    return bind_staged(queue, call, s);
  } else if constexpr (V.passes == Passes::once) {
    using A =
        std::conditional_t<V.binned, BinnedSum<double>, typename R::template Accumulator<double>>;
    constexpr int words = two && V.items > 1 ? V.items / 2 : V.items;
    return bind_once<R, V.crossed, A, words>(queue, call, s);
  } else if constexpr (V.items == rolling_items && rolls<R> && !V.binned) {
    return bind_rolling < R, V.crossed, two ? 4 : 8 > (queue, call, s);
  } else if constexpr (V.binned) {
    if constexpr (R::in_boxes) {
      if (call.boxed) return bind_box<R, V.crossed, box_items<two, V.items>>(queue, call, s);
    }
    return Bound(flat_launches<R, V.crossed, BinnedSum<double>, V.items>(queue, call, s));
  } else {
    constexpr int items = adds_up<R> && two && V.items > 1 ? V.items / 2 : V.items;
    using A = typename R::template Accumulator<double>;
    return Bound(flat_launches<R, V.crossed, A, items>(queue, call, s));
  }
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class R, class T, class Target>
Bound Reducer<R, T, Target>::bind(Queue& queue, const ReduceCall<R, T>& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate reducers for ridge::Here");
  using List = ReduceList<R>;
  Bound bound;
  choose_from<List>(
      reduce_variant<R>(s, call.shape.complex, call.reproducible, call.dimension >= 0),
      [&](auto i) {
        constexpr ReduceVariant chosen = List::values[i];
        bound = gpu::bind_reduction<chosen>(queue, call, s);
      });
  return bound;
}

} // namespace ridge::lattice
