// Maps of tiles on CUDA. The driver makes them; it is asked for its function at run time, so that
// nothing here links to it.
#pragma once

#include <ridge/device/gpu/native.hpp>
#include <ridge/device/tile_map.hpp>

#include <cuda.h>

#include <cstring>
#include <string>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

inline decltype(&cuTensorMapEncodeTiled) tile_encoder() {
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
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
}

inline TileMap cuda_tiles(const TiledField& f) {
  static const auto encode = tile_encoder();
  const auto bytes = [&](Index elements) {
    return static_cast<cuuint64_t>(elements) * static_cast<cuuint64_t>(f.element_bytes);
  };
  const cuuint64_t extents[3] = {static_cast<cuuint64_t>(f.extents.x),
                                 static_cast<cuuint64_t>(f.extents.y),
                                 static_cast<cuuint64_t>(f.extents.z)};
  const cuuint64_t strides[2] = {bytes(f.row), bytes(f.plane)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(f.tile_x), static_cast<cuuint32_t>(f.tile_y),
                             1};
  const cuuint32_t steps[3] = {1, 1, 1};
  CUtensorMap encoded;
  const CUresult result =
      encode(&encoded,
             f.element_bytes == 8   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
             : f.element_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                    : CU_TENSOR_MAP_DATA_TYPE_UINT16,
             3, const_cast<void*>(f.data), extents, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Failure("cuTensorMapEncodeTiled: error " + std::to_string(static_cast<int>(result)));
  static_assert(sizeof(TileMap) == sizeof(CUtensorMap));
  TileMap map;
  std::memcpy(&map, &encoded, sizeof map);
  return map;
}

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
