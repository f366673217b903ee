#include <ridge/device/device.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/device/tile_map.hpp>
#include <ridge/stencil/march_limits.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace ridge::stencil {

bool can_march(const Device& device) {
  return is_from(device.facts().architecture, facts_of(device).bulk_copies_from);
}

bool can_copy_asynchronously(const Device& device) {
  return is_from(device.facts().architecture, facts_of(device).asynchronous_copies_from);
}

Loads march_loads(const Traits& traits) {
  const bool stay = planes_held(traits, Loads::stencil) > traits.radius.z;
  return traits.parts && parts_are_faster(stay, traits.radius.z) ? Loads::ascending
                                                                 : Loads::stencil;
}

namespace {

/// Planes kept for each that is read above the point; 0 where parts are added up.
Index times_held(const Traits& traits, Loads loads) {
  if (traits.parts && loads == Loads::ascending) return 0;
  for (const auto& offsets : traits.footprints) {
    for (const Offset& o : offsets) {
      if (o.z < 0 && (o.x != 0 || o.y != 0)) return 2;
    }
  }
  return 1;
}

/// Largest distance that an input is read at along each axis.
Offset reach_of(const std::vector<Offset>& offsets) {
  Offset reach;
  for (const Offset& o : offsets) {
    reach.x = std::max(reach.x, std::abs(o.x));
    reach.y = std::max(reach.y, std::abs(o.y));
    reach.z = std::max(reach.z, std::abs(o.z));
  }
  return reach;
}

/// Of a tile that so many threads compute.
Index tile_row_bytes(int threads_x, int element_bytes, int reach) {
  return 16 * (threads_x + 2 * ceil_div(Index{reach} * element_bytes, 16));
}

} // namespace

Index planes_held(const Traits& traits, Loads loads) {
  return times_held(traits, loads) * traits.radius.z;
}

bool can_tile(const Traits& traits, int threads_x, int rows) {
  const auto fits = [&](const std::vector<Offset>& offsets) {
    const Offset reach = reach_of(offsets);
    const int bytes = traits.element_bytes;
    const auto row = static_cast<int>(tile_row_bytes(threads_x, bytes, reach.x) / bytes);
    return row <= most_tile_extent * gpu::counted_as_one(row, bytes) &&
           rows + 2 * reach.y <= most_tile_extent;
  };
  return traits.inputs() <= most_tiled_inputs &&
         std::all_of(traits.footprints.begin(), traits.footprints.end(), fits);
}

Index march_ring_bytes(const GpuSchedule& s, const Traits& traits, bool packed) {
  constexpr Index line = 128;
  const Index tile_bytes = Index{s.block.x} * 16; // a thread computes 16 bytes of a row
  const Index held = times_held(traits, s.loads);
  Index bytes = 0;
  for (const auto& offsets : traits.footprints) {
    const Offset reach = reach_of(offsets);
    const Index lead = reach.x > 0 ? line : 0; // the halo to the left
    const Index rows = Index{s.block.y} * s.tile + 2 * reach.y;
    const Index pitch = (tile_bytes + line - 1) / line * line + lead + (packed ? 0 : line);
    const Index tile =
        ceil_div(rows * tile_row_bytes(s.block.x, traits.element_bytes, reach.x), line) * line;
    // Tiles are for rows that begin at 16 bytes; others are copied one by one.
    const bool tiles = s.stage == Stage::tiles;
    const Index plane = tiles && packed ? tile : std::max(tiles ? tile : 0, rows * pitch + lead);
    bytes += (s.ring - held * (traits.radius.z - reach.z)) * plane;
  }
  return bytes;
}

namespace {

/// Of what is read of the result at the ends of rows.
Index ends_bytes(const GpuSchedule& s) {
  return Index{gpu::march_planes_ahead} * s.block.y * s.tile * 2 * gpu::sector_bytes;
}

} // namespace

Index march_fixed_bytes(const GpuSchedule& s) {
  constexpr Index barriers = 256;
  return barriers + ends_bytes(s);
}

Index window_bytes(const GpuSchedule& s, const Traits& traits, DeviceKind kind) {
  const bool copied = facts_of(kind).copies_past_registers;
  int low = 0;
  int high = 0;
  int inputs = 0; ///< of which points beside the own column are read
  for (const auto& offsets : traits.footprints) {
    bool beside = false;
    for (const Offset& o : offsets) {
      if (o.x == 0 && o.y == 0) continue;
      low = inputs == 0 && !beside ? o.z : std::min(low, o.z);
      high = inputs == 0 && !beside ? o.z : std::max(high, o.z);
      beside = true;
    }
    inputs += beside ? 1 : 0;
  }
  const Index vector = 16 / traits.element_bytes;
  const Index rows = Index{s.block.y} * s.tile + 2 * traits.radius.y;
  const int beside = static_cast<int>(16 * ceil_div(Index{traits.radius.x}, vector));
  const gpu::WindowPitch row = gpu::window_pitch(16 * s.block.x, beside, copied);
  const int newest = copied ? traits.radius.z : high;
  const int ahead = copied ? gpu::window_planes_ahead : 1;
  const Index planes = (inputs > 0 ? newest - low + 1 : 1) + ahead;
  const Index plane = (copied ? traits.inputs() : inputs) * (rows * row.bytes + row.behind);
  return planes * plane + (copied ? ends_bytes(s) : 0);
}

} // namespace ridge::stencil
