// Copies of tiles of a field into shared memory in one instruction of one lane, as Hopper GPUs do
// them. PTX ISA, section "cp.async.bulk.tensor". Only what has a TileMap can be copied so.
#pragma once

#include <ridge/device/gpu/lane.hpp>
#include <ridge/device/view.hpp>

#if !defined(__CUDACC_RTC__)
#include <ridge/device/gpu/native.hpp>

#include <cuda.h>
#endif

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// A field, and the size of its tiles, in the form the copy engine takes; part of a kernel's
/// parameters.
struct alignas(64) TileMap {
  unsigned long long words[16] = {};
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool has_tile_copy = true;
#else
inline constexpr bool has_tile_copy = false;
#endif

/// Begins to copy the tile whose first point is (x, y, z), which may lie beyond the field, to
/// 128-byte aligned shared memory; barrier `i` counts its bytes, those of the whole tile. Points
/// beyond the field are zeros. The data are read once more soon, by the block beside: the L2 keeps
/// them in preference to results.
template <class T>
RIDGE_DEVICE void copy_tile(PhaseBarrier* bars, int i, T* to, const TileMap& from, int x, int y,
                            int z) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const auto address = [](const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
  };
  std::uint64_t keep;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
               ".L2::cache_hint [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(address(to)),
               "l"(&from), "r"(x), "r"(y), "r"(z), "r"(address(bars + i)), "l"(keep)
               : "memory");
#else
  (void)bars, (void)i, (void)to, (void)from, (void)x, (void)y, (void)z;
#endif
}

#if !defined(__CUDACC_RTC__)
/// Of tiles of `x` times `y` points of one plane. Rows begin at multiples of 16 bytes.
template <class T>
TileMap tile_map(const View<const T>& field, int x, int y) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                         &found),
        "cudaGetDriverEntryPointByVersion");
#else
  check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found),
        "cudaGetDriverEntryPoint");
#endif
  if (found != cudaDriverEntryPointSuccess)
    throw Failure("the driver has no cuTensorMapEncodeTiled; CUDA 12's has");
  static_assert(sizeof(TileMap) == sizeof(CUtensorMap) && (sizeof(T) == 4 || sizeof(T) == 8));
  constexpr auto size = static_cast<cuuint64_t>(sizeof(T));
  const auto wide = [](Index n) { return static_cast<cuuint64_t>(n); };
  const cuuint64_t extents[3] = {wide(field.extents.x), wide(field.extents.y),
                                 wide(field.extents.z)};
  const cuuint64_t strides[2] = {wide(field.row) * size, wide(field.plane) * size};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(x), static_cast<cuuint32_t>(y), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  TileMap map;
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(
      reinterpret_cast<CUtensorMap*>(&map),
      sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3,
      const_cast<std::remove_const_t<T>*>(field.data), extents, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Failure("cuTensorMapEncodeTiled: error " + std::to_string(static_cast<int>(result)));
  return map;
}
#endif

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
