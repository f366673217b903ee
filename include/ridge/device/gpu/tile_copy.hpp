// Tile copies of Hopper GPUs. PTX ISA, section "cp.async.bulk.tensor".
#pragma once

#include <ridge/device/gpu/lane.hpp>
#include <ridge/device/tile_map.hpp>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// Where the copy engine reads it.
struct alignas(64) KernelTileMap : TileMap {};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool has_tile_copy = true;
#else
inline constexpr bool has_tile_copy = false;
#endif

/// See ridge/device/tile_copy.hpp. The data are read once more soon, by the block beside: the L2
/// keeps them in preference to results.
template <class Lane, class T>
RIDGE_DEVICE void copy_tile(Lane& lane, PhaseBarrier* bars, int i, T* to, int to_index,
                            const KernelTileMap& from, int x, int y, int z) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  (void)lane;
  const auto address = [](const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
  };
  std::uint64_t keep;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
               ".L2::cache_hint [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(address(to + to_index)),
               "l"(&from), "r"(x), "r"(y), "r"(z), "r"(address(bars + i)), "l"(keep)
               : "memory");
#else
  (void)lane, (void)bars, (void)i, (void)to, (void)to_index, (void)from, (void)x, (void)y, (void)z;
#endif
}

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
