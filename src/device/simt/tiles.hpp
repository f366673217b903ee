// Maps of tiles on the emulated GPU.
#pragma once

#include <ridge/device/tile_map.hpp>

namespace ridge::simt {

/// The field itself in the words of a map.
[[nodiscard]] TileMap host_tiles(const TiledField& field);

} // namespace ridge::simt
