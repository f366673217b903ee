// Tile copies of the emulated GPU.
#pragma once

#include <ridge/device/simt/shared.hpp>
#include <ridge/device/tile_map.hpp>

namespace ridge::simt {

using KernelTileMap = TileMap;

/// As `copy_tile` below, to byte `to_offset` of shared memory; `index` is for reports.
void begin_tile(const LaneContext& lane, PhasePlace at, int to_offset, Index index, int room,
                const TileMap& from, int x, int y, int z);

/// See ridge/device/tile_copy.hpp.
template <class T>
void copy_tile(const LaneContext& lane, const SharedArray<PhaseBarrier>& bars, int i,
               const SharedArray<T>& to, int to_index, const TileMap& from, int x, int y, int z) {
  if (i < 0 || i >= bars.size()) lane.fault_shared(i, bars.size());
  if (to_index < 0 || to_index >= to.size()) lane.fault_shared(to_index, to.size());
  const int room = (to.size() - to_index) * static_cast<int>(sizeof(T));
  begin_tile(lane, {bars.offset(i), i}, to.offset(to_index), to_index, room, from, x, y, z);
}

} // namespace ridge::simt
