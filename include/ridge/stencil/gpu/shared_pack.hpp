// Packs in shared memory.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>

#if !defined(RIDGE_TARGET_SIMT)
#include <ridge/device/gpu/lane.hpp>
#endif

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// As Lane::load_shared_pack; of doubles, which put together from halves would be copied between
/// registers.
template <int N, class Lane, class Array>
RIDGE_DEVICE auto load_shared_values(Lane& lane, Array& from, int at) {
#if defined(__CUDA_ARCH__)
  using T = std::remove_cvref_t<decltype(from[0])>;
  if constexpr (std::is_same_v<T, double> && N == 2) {
    double2 both = *reinterpret_cast<const double2*>(from + at);
    asm("" : "+d"(both.x), "+d"(both.y)); // not one by one
    return ridge::gpu::bit_cast<Pack<T, N>>(both);
  }
#endif
  return lane.template load_shared_pack<N>(from, at);
}

/// Writes a pack to a shared array, aligned to its size, in one access.
template <class Lane, class Array, class T, int N>
RIDGE_DEVICE void store_shared_pack(Lane& /*lane*/, Array& to, int at, const Pack<T, N>& value) {
#if defined(RIDGE_TARGET_SIMT)
  for (int i = 0; i < N; ++i)
    to[at + i] = value[i];
#else
  using Word = typename ridge::gpu::Word<sizeof(value)>::type;
  *reinterpret_cast<Word*>(to + at) = ridge::gpu::bit_cast<Word>(value);
#endif
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
