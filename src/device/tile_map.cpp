#include <ridge/core/error.hpp>
#include <ridge/device/backend.hpp>
#include <ridge/device/tile_map.hpp>

#include "../core/refuse.hpp"

#include <cstdint>
#include <string>

namespace ridge {

TileMap Backend::tile_map(const TiledField& /*field*/) {
  throw Failure(to_text(id()) + " copies no tiles to shared memory");
}

TileMap tile_map(const Device& device, const TiledField& f) {
  const auto bytes = [&](Index elements) { return elements * f.element_bytes; };
  const auto aligned = [](Index n) { return n % 16 == 0; };
  const auto begins = static_cast<Index>(reinterpret_cast<std::uintptr_t>(f.data) % 16);
  if (!aligned(begins) || !aligned(bytes(f.row)) || !aligned(bytes(f.plane)))
    throw UsageError("tiles are copied of fields whose rows begin at multiples of 16 bytes");
  const auto fits = [](int extent) { return extent > 0 && extent <= most_tile_extent; };
  if (!fits(f.tile_x) || !fits(f.tile_y) || !aligned(bytes(f.tile_x))) {
    throw UsageError("a tile of " + std::to_string(f.tile_x) + "x" + std::to_string(f.tile_y) +
                     " elements cannot be copied; at most " + std::to_string(most_tile_extent) +
                     " along each axis can, in rows of whole 16 bytes");
  }
  constexpr Index most = Index{1} << 31; // coordinates have 32 bits
  refuse_if(f.extents.x >= most || f.extents.y >= most || f.extents.z >= most ||
                bytes(f.row) >= Index{1} << 40 || bytes(f.plane) >= Index{1} << 40,
            "tiles are copied of fields of fewer than 2^31 points along each axis, with rows and "
            "planes less than 2^40 bytes apart");
  return device.backend().tile_map(f);
}

} // namespace ridge
