// Tile copies of the emulated GPU: bulk copies of a tile's rows, with zeros beyond the field.
#include <ridge/core/error.hpp>
#include <ridge/device/simt/tile_copy.hpp>

#include "report.hpp"
#include "tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace ridge {

namespace {

constexpr int tile_alignment = 128; ///< of tiles in shared memory

/// What lies beyond fields.
constexpr std::array<std::byte, std::size_t{most_tile_extent} * 8> zeros{};

} // namespace

TileMap simt::host_tiles(const TiledField& field) {
  static_assert(std::is_trivially_copyable_v<TiledField> && sizeof(TiledField) <= sizeof(TileMap));
  TileMap map;
  std::memcpy(static_cast<void*>(&map), &field, sizeof field);
  return map;
}

void simt::begin_tile(const LaneContext& lane, PhasePlace at, int to_offset, Index index, int room,
                      const TileMap& from, int x, int y, int z) {
  TiledField f;
  std::memcpy(static_cast<void*>(&f), &from, sizeof f);
  const auto fault = [&](FaultKind kind, const std::string& text) {
    return make_fault(kind, lane.state(), lane.rank(), index, text);
  };
  const int row_bytes = f.tile_x * f.element_bytes;
  if (to_offset % tile_alignment != 0) {
    throw fault(FaultKind::copy_alignment,
                fmt::format("copies a tile to index {}, {} bytes past a multiple of {}; begin it "
                            "at one",
                            index, to_offset % tile_alignment, tile_alignment));
  }
  if (row_bytes * f.tile_y > room) {
    throw fault(FaultKind::shared_bounds,
                fmt::format("copies a tile of {} bytes to index {}, where the shared array has {}; "
                            "give it more",
                            row_bytes * f.tile_y, index, room));
  }
  const auto* const data = static_cast<const std::byte*>(f.data);
  // Columns of the tile before the field, in it, and behind it.
  const int before = std::clamp(-x, 0, f.tile_x);
  const int within =
      static_cast<int>(std::clamp<Index>(f.extents.x - x, before, f.tile_x)) - before;
  for (int j = 0; j < f.tile_y; ++j) {
    const auto put = [&](int first, int count, const void* source) {
      if (count == 0) return;
      const int element = j * f.tile_x + first;
      lane.issue_bulk(at, to_offset + element * f.element_bytes, source, count * f.element_bytes,
                      index + element);
    };
    const Index row = Index{y} + j;
    if (row < 0 || row >= f.extents.y || z < 0 || z >= f.extents.z) {
      put(0, f.tile_x, zeros.data());
      continue;
    }
    put(0, before, zeros.data());
    put(before, within, data + (z * f.plane + row * f.row + x + before) * f.element_bytes);
    put(before + within, f.tile_x - before - within, zeros.data());
  }
}

} // namespace ridge
