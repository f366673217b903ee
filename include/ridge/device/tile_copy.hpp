// Tile copies, for kernel bodies:
//
//   copy_tile(lane, bars, i, s, int to, const TileMap&, int x, int y, int z)
//       Begins to copy the tile whose first point is (x, y, z), which may lie beyond the field, to
//       element `to` of a shared array, which lies at a multiple of 128 bytes. Phase barrier `i`
//       counts the bytes of the whole tile. Points beyond the field are zeros.
//   KernelTileMap
//       A TileMap among the parameters of a kernel, as copy_tile takes it.
#pragma once

#if defined(RIDGE_TARGET_SIMT)
#include <ridge/device/simt/tile_copy.hpp>
#elif defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
#include <ridge/device/gpu/tile_copy.hpp>
#endif

namespace ridge {
#if defined(RIDGE_TARGET_SIMT)
using simt::KernelTileMap;
#elif defined(RIDGE_TARGET_CUDA) || defined(RIDGE_TARGET_HIP)
using gpu::KernelTileMap;
#endif
} // namespace ridge
