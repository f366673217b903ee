// Reductions on GPUs: from a schedule to a compiled variant.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/lattice/gpu_reduce_launch.hpp>
#include <ridge/lattice/gpu_staged_launch.hpp>

namespace ridge::lattice {

namespace gpu::inline RIDGE_TARGET_NAME {

template <class T, Reduction What, bool complex>
void reduce_in_order(Queue& queue, const ReduceCall<T>& call, const GpuSchedule& s) {
  if (s.reduce == Passes::staged) {
    if (call.reproducible) {
      throw UsageError(
          "a reproducible reduction goes with reduce=fused: it rounds no site's result");
    }
    if constexpr (What == Reduction::sum) {
      sum_staged(queue, call, s);
    } else {
      number_staged<T, What>(queue, call, s);
    }
  } else if constexpr (What == Reduction::max) {
    reduce_flat<T, What, complex, Greatest<double>, 4>(queue, call, s);
  } else {
    if (call.reproducible) {
      reduce_flat<T, What, complex, BinnedSum<double>, 4>(queue, call, s);
    } else {
      constexpr bool two = Loaded<T, What>::two;
      if constexpr (What != Reduction::axpy_norm) {
        if (s.items == 8 && call.dimension < 0)
          return reduce_rolling < T, What, complex, two ? 4 : 8 > (queue, call, s);
      }
      choose(s.items == 8 ? 16 : s.items, Choices<1, 4, 16>{}, [&](auto items) {
        // Accesses under way are those of both operands.
        constexpr int n =
            two && decltype(items)::value > 1 ? decltype(items)::value / 2 : decltype(items)::value;
        reduce_flat<T, What, complex, PlainSum<double>, n>(queue, call, s);
      });
    }
  }
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class T, class Target>
void Reducer<T, Target>::run(Queue& queue, const ReduceCall<T>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate reducers for ridge::Here");
  switch (call.what) {
  case Reduction::sum:
    return gpu::reduce_in_order<T, Reduction::sum, false>(queue, call, s);
  case Reduction::norm2:
    return gpu::reduce_in_order<T, Reduction::norm2, false>(queue, call, s);
  case Reduction::inner:
    if (call.shape.complex) {
      return gpu::reduce_in_order<T, Reduction::inner, true>(queue, call, s);
    }
    return gpu::reduce_in_order<T, Reduction::inner, false>(queue, call, s);
  case Reduction::axpy_norm:
    return gpu::reduce_in_order<T, Reduction::axpy_norm, false>(queue, call, s);
  case Reduction::max:
    return gpu::reduce_in_order<T, Reduction::max, false>(queue, call, s);
  }
}

} // namespace ridge::lattice
