// The schedule without measuring: from cache sizes, extents and the kernel's radius.
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/schedule.hpp>

#include "cpu_default.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace ridge::stencil {

namespace {

Index pieces(Index whole, Index part) {
  return (whole + part - 1) / part;
}

/// Whether the bulk copy engine is there and a march is worth it: fields beyond the cache, rows
/// that fill a tile, enough planes to march through.
bool marches(const Device& device, const Traits& traits, Index3 n) {
  const DeviceFacts& facts = device.facts();
  return can_march(device) && device.is_gpu() && traits.radius.z > 0 && n.x >= 96 &&
         n.y >= 4 + 2 * traits.radius.y && n.z >= 8 + 4 * traits.radius.z &&
         n.x * n.y * n.z * traits.element_bytes > facts.last_level_cache.value / 2;
}

/// Parts of the z axis such that the columns fill the multiprocessors evenly: of 1 to 16 the one
/// with the least time, a round of columns counting by how full it is and each column by its planes
/// and those it reads twice.
int best_chunks(Index tiles, Index resident, Index units, Index planes, int radius) {
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int chunks = 1; chunks <= 16; ++chunks) {
    const Index columns = tiles * chunks;
    const double column = static_cast<double>(pieces(planes, chunks) + 2 * radius + 4);
    double time = 0;
    for (Index done = 0; done < columns; done += resident) {
      const double active = static_cast<double>(std::min(columns - done, resident));
      // Fewer columns than this do not draw the memory's full speed.
      const double enough = static_cast<double>(units) * 0.97;
      time += std::max(active, enough) / static_cast<double>(resident) * column;
    }
    if (time < least * (1 - 1e-9)) {
      least = time;
      best = chunks;
    }
  }
  return best;
}

/// Nothing where the ring does not fit the shared memory.
std::optional<GpuSchedule> march_default(const DeviceFacts& facts, const Traits& traits, Index3 n) {
  GpuSchedule s;
  s.stage = Stage::bulk;
  s.block = BlockShape{{128, 2, 1}};
  s.tile = 4;
  const bool packs = n.x * traits.element_bytes % 16 == 0;
  const Index vector = packs ? 16 / traits.element_bytes : 1;
  const Index tile_x = s.block.x * vector;
  const Index tile_y = Index{s.block.y} * s.tile;
  const Index plane = march_plane_bytes(s, traits, n.x * traits.element_bytes % 128 == 0);
  // Two blocks share a multiprocessor where each can have enough planes on their way.
  const Index per_unit = facts.l1.value - 2 * 1024;
  const Index fixed = march_fixed_bytes(s);
  const Index held = planes_held(traits);
  const Index enough = held + 4;
  Index blocks = 2;
  Index ring = (per_unit / 2 - fixed) / plane;
  if (ring < enough) {
    blocks = 1;
    ring = (per_unit - fixed) / plane;
  }
  if (ring < held + 2) return std::nullopt;
  s.ring = static_cast<int>(std::min<Index>(ring, blocks == 2 ? enough : 8));
  const Index tiles = pieces(n.x, tile_x) * pieces(n.y - 2 * traits.radius.y, tile_y);
  s.chunks = best_chunks(tiles, blocks * facts.units, facts.units, n.z - 2 * traits.radius.z,
                         traits.radius.z);
  return s;
}

/// The fifth kernel of the AMD series, for kernels that are compiled for it.
GpuSchedule tiled_points() {
  GpuSchedule s;
  s.tile = 8;
  s.loads = Loads::ascending;
  s.bounds = 256;
  s.store = Store::nontemporal;
  return s;
}

/// How much of the last-level cache three planes may take. The AMD series saw one hold them up to
/// 15/16 of its size; the two halves of an NVIDIA L2 each keep what their multiprocessors read.
Index room_for_planes(const Device& device) {
  const Index cache = device.facts().last_level_cache.value;
  return device.kind() == DeviceKind::hip ? cache / 16 * 15 : cache / 4;
}

/// Whether a march would compute one fp32 value a thread, which tiles of points beat
/// (docs/performance.md).
bool better_in_tiles(const Traits& traits, Index3 n) {
  return traits.element_bytes == 4 && n.x * traits.element_bytes % 16 != 0;
}

/// Points, in tiles where the kernel is compiled for them. Where three planes do not fit the
/// last-level cache, sub-domains in y of which three planes do.
GpuSchedule points_default(const Device& device, const Traits& traits, Index3 n) {
  GpuSchedule s;
  const bool tiles = traits.whole_space && n.y - 2 * traits.radius.y >= 8;
  if (device.kind() == DeviceKind::hip) {
    if (tiles) s = tiled_points();
    s.store = Store::nontemporal;
  } else if (tiles && can_march(device) && better_in_tiles(traits, n)) {
    s = tiled_points();
    s.block = BlockShape{{128, 2, 1}};
  }
  if (n.x < 128) s.block = n.x < 64 ? BlockShape{{32, 8, 1}} : BlockShape{{64, 4, 1}};
  const Index planes = (2 * traits.radius.z + 1) * n.x * n.y * traits.element_bytes;
  const Index room = room_for_planes(device);
  if (traits.radius.z > 0 && planes > room && room > 0) {
    s.split = static_cast<int>(std::min<Index>(pieces(planes, room), 1024));
  }
  return s;
}

} // namespace

Schedule default_schedule(const Device& device, const Traits& traits, Index3 extents) {
  if (device.kind() == DeviceKind::cpu) return cpu_default(device.facts(), traits, extents);
  const bool tiles = traits.whole_space && better_in_tiles(traits, extents);
  if (marches(device, traits, extents) && !tiles) {
    if (const auto march = march_default(device.facts(), traits, extents)) return *march;
  }
  return points_default(device, traits, extents);
}

} // namespace ridge::stencil
