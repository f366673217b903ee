// What lanes of a pass hand to each other.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/lane.hpp>
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

/// The packs one point to the left and to the right of a row of packs that a warp holds. At the
/// ends of the row the values come from its other end.
template <class Lane, class T, int N>
RIDGE_DEVICE Pack<T, N> from_left(Lane& lane, const Pack<T, N>& value) {
  constexpr int width = Lane::warp_width;
  const T beyond = lane.shuffle(value[N - 1], (lane.lane() + width - 1) % width);
  return Pack<T, N>::make([&](int i) { return i == 0 ? beyond : value[i == 0 ? 0 : i - 1]; });
}
template <class Lane, class T, int N>
RIDGE_DEVICE Pack<T, N> from_right(Lane& lane, const Pack<T, N>& value) {
  constexpr int width = Lane::warp_width;
  const T beyond = lane.shuffle(value[0], (lane.lane() + 1) % width);
  return Pack<T, N>::make(
      [&](int i) { return i == N - 1 ? beyond : value[i == N - 1 ? i : i + 1]; });
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
