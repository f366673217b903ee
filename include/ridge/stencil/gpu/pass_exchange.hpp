// What lanes of a pass hand to each other.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/gpu/access.hpp>
#include <ridge/stencil/gpu/shared_pack.hpp>

#if !defined(RIDGE_TARGET_SIMT)
#include <ridge/device/gpu/lane.hpp>
#endif

#include <cstdint>
#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// As Lane::copy_async of 16 bytes; the data are read once more soon, by the block beside: the L2
/// keeps them in preference to results.
template <int N, class Lane, class Array, class T>
RIDGE_DEVICE void copy_kept(Lane& lane, Array& to, int at, const Span<const T>& from, Index i) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  (void)lane;
  std::uint64_t keep;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to + at))),
               "l"(from.data + i), "l"(keep)
               : "memory");
#else
  lane.template copy_async<N>(to, at, from, i);
#endif
}

/// The same values, of which the compiler no longer knows where they are from: what computes on
/// them is not fused with what made them, so that the bits are those of results read from memory.
template <class T, int N>
RIDGE_DEVICE Pack<T, N> as_if_loaded(Pack<T, N> value) {
#if defined(__CUDA_ARCH__)
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      asm("" : "+d"(value.lane[i]));
    } else {
      asm("" : "+f"(value.lane[i]));
    }
  }
#elif defined(RIDGE_TARGET_SIMT)
  for (int i = 0; i < N; ++i)
    asm("" : "+m"(value.lane[i]));
#endif
  return value;
}

/// A row's values, of which each lane of a warp holds a pack, from `Reach` points before the lane's
/// own to as many behind. At the ends of the row the values come from its other end.
template <class T, int N, int Reach>
struct RowValues {
  T value[N + 2 * Reach];

  template <class Lane>
  static RIDGE_DEVICE RowValues around(Lane& lane, const Pack<T, N>& value) {
    constexpr int width = Lane::warp_width;
    RowValues row;
    unrolled<N>([&](auto i) { row.value[Reach + i] = value[i]; });
    unrolled<Reach>([&](auto q) {
      constexpr int lanes = q / N + 1;
      row.value[Reach - 1 - q] =
          lane.shuffle(value[lanes * N - 1 - q], (lane.lane() + width - lanes) % width);
    });
    unrolled<Reach>([&](auto q) {
      constexpr int lanes = q / N + 1;
      row.value[Reach + N + q] = lane.shuffle(value[q % N], (lane.lane() + lanes) % width);
    });
    return row;
  }
  /// `i` counts from the lane's first value on.
  RIDGE_DEVICE T& operator[](int i) { return value[i + Reach]; }
  RIDGE_DEVICE const T& operator[](int i) const { return value[i + Reach]; }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
