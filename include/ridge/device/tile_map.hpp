// Tiles of a field that a GPU's copy engine brings to shared memory in one instruction of one lane.
#pragma once

#include <ridge/core/index.hpp>

namespace ridge {

class Device;

/// A field and the size of its tiles in the form that the device's copy engine takes.
struct TileMap {
  unsigned long long words[16] = {};
};

/// A field whose data begin, and whose rows and planes follow each other, at multiples of 16 bytes,
/// and tiles of one plane. A row of a tile takes a multiple of 16 bytes.
struct TiledField {
  const void* data;
  Index3 extents;
  Index row, plane;   ///< in elements
  int element_bytes;  ///< 4 or 8, of floating-point numbers
  int tile_x, tile_y; ///< elements and rows of a tile, at most most_tile_extent
};

/// The most elements of a tile along each axis.
inline constexpr int most_tile_extent = 256;

/// Throws Failure where the device copies no tiles, UsageError where it copies none of this field.
[[nodiscard]] TileMap tile_map(const Device& device, const TiledField& field);

} // namespace ridge
