// Packs in shared memory.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>

#if !defined(RIDGE_TARGET_SIMT)
#include <ridge/device/gpu/lane.hpp>
#endif

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

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
