#include "points_default.hpp"

#include <ridge/device/kind.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/variants.hpp>

#include "march_default.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace ridge::stencil {

namespace {

/// What a lane keeps of all inputs in a window of eight rows; nothing where that is not worth
/// compiling.
std::optional<int> values_of_tile(const Traits& traits) {
  if (!window_fits(traits.radius)) return std::nullopt;
  int values = 0;
  for (const auto& offsets : traits.footprints)
    values += window_values(offsets, tiled.tile);
  return values;
}

/// The fifth kernel of the AMD series: windows of eight rows.
GpuSchedule tiled_points() {
  GpuSchedule s;
  s.tile = tiled.tile;
  s.loads = tiled.loads;
  s.bounds = tiled.bounds;
  s.store = Store::nontemporal;
  return s;
}

/// The widest block of 256 points of those that leave the fewest lanes idle behind the ends of rows
/// (docs/design/stencils_on_gpus.md).
BlockShape with_few_idle(Index row) {
  BlockShape best{{32, 8, 1}};
  Index fewest = ceil_div(row, Index{32}) * 32;
  for (const int width : {64, 128, 256}) {
    const Index lanes = ceil_div(row, Index{width}) * width;
    if (lanes > fewest) continue;
    best = BlockShape{{width, 256 / width, 1}};
    fewest = lanes;
  }
  return best;
}

/// The share of the last-level cache from which on fields whose rows begin anywhere are large.
double least_share_anywhere(const Traits& traits) {
  const bool parts = march_loads(traits) == Loads::ascending;
  if (traits.element_bytes == 2) return 3;
  if (traits.element_bytes == 4) return parts ? std::numeric_limits<double>::infinity() : 0.6;
  if (parts) return 0.5;
  const bool streams = traits.inputs() > 1 && read_around(traits) == 1;
  return streams ? std::numeric_limits<double>::infinity() : 6;
}

/// The widest block of 256 threads for windows: rows of 160 points are faster under 256 threads
/// than under 32.
BlockShape for_windows(Index row) {
  const Index halves = ceil_div(row, Index{128});
  const int width = row <= 32 ? 32 : row <= 64 ? 64 : halves % 2 == 1 ? 128 : 256;
  return {{width, 256 / width, 1}};
}

/// How much of the last-level cache three planes may take.
Index room_for_planes(const Device& device) {
  const Share share = facts_of(device).planes_of_cache;
  return device.facts().last_level_cache.value / share.whole * share.part;
}

/// Tiles of points for kernels that read no planes beside their own
/// (docs/design/stencils_on_gpus.md), and tiles of packs of them: blocks no wider than rows but for
/// 32, of so many rows that a multiprocessor's cache holds what neighbours read.
GpuSchedule flat_points(const Device& device, const Traits& traits, Index3 n,
                        const Strides& strides) {
  GpuSchedule s;
  s.block = BlockShape{{128, 1, 1}};
  const bool packs = rows_at(traits, strides).rows != Rows::anywhere;
  const PointsVariant tile =
      packs && !facts_of(device).streams_tiles ? flat_packs(traits.radius.y) : flat_tiled;
  s.tile = tile.tile;
  s.loads = tile.loads;
  s.bounds = tile.bounds;
  if (s.loads != Loads::packs) return s;
  const Index across = ceil_div(n.x, Index{16} / traits.element_bytes);
  const bool tall = traits.radius.y > 2;
  s.block = tall ? BlockShape{{64, 2, 1}} : BlockShape{{64, 4, 1}};
  if (across <= 32) s.block = tall ? BlockShape{{32, 4, 1}} : BlockShape{{32, 8, 1}};
  return s;
}

} // namespace

bool tile_fits(const Traits& traits) {
  const auto values = values_of_tile(traits);
  return values && stencil::tile_fits(*values);
}

bool is_large_for_march(const DeviceFacts& facts, const Traits& traits, Index3 n,
                        const Strides& strides) {
  const double share = static_cast<double>(n.x * n.y * n.z * traits.element_bytes) /
                       static_cast<double>(facts.last_level_cache.value);
  if (rows_at(traits, strides).rows == Rows::anywhere) return share > least_share_anywhere(traits);
  const Loads loads = march_loads(traits);
  const bool tiles = comes_as_tiles(traits, n, strides, loads);
  const int rows = traits.radius.y;
  const int inputs = traits.inputs();
  if (traits.element_bytes == 2)
    return share > (!tiles || (rows == 1 && inputs > 3) ? 0.3 : rows == 3 ? 0.12 : 0.2);
  if (tiles && loads == Loads::ascending) return share > 0.125;
  if (traits.element_bytes == 4) {
    if (!tiles || rows == 1) return share > (tiles ? 0.6 : 0.4);
    if (rows == 2) return share > (inputs > 1 ? 0.125 : 0.4);
    return share > (rows == 3 ? 0.2 : 0.25);
  }
  if (tiles && rows == 3) return share > 0.25;
  // Tiles are faster as long as the cache holds all arrays, too.
  const bool both = tiles && (rows > 3 || read_around(traits) > 1);
  return (both && share > 0.25 && share < 0.3) || share > (inputs > 2 ? 1.2 : 0.6);
}

GpuSchedule points_beside_marches(const DeviceFacts& facts, const Traits& traits, Index3 n) {
  GpuSchedule s;
  const Index points = n.x * n.y * n.z;
  const auto values = values_of_tile(traits);
  if (points < 600'000 || !values) return s; // more rows leave multiprocessors without work
  const bool many = points >= 1'500'000;
  const auto bytes = static_cast<std::size_t>(traits.element_bytes);
  const int inputs = traits.inputs();
  // Windows read each value once, but have few lanes under way where it comes from memory.
  const double arrays = static_cast<double>(points * traits.element_bytes * (inputs + 1)) /
                        static_cast<double>(facts.last_level_cache.value);
  const bool parts = march_loads(traits) == Loads::ascending && *values <= 100;
  const bool small = *values <= (bytes == 8 ? 0 : bytes == 4 ? 42 : inputs == 1 ? 110 : 76);
  const double most = bytes == 2 ? 0.42 : 0.7;
  if (many && takes_windows(inputs, bytes, *values) && (parts || small || arrays <= most)) {
    s = tiled_points();
    s.block = for_windows(n.x);
  } else if (arrays > 6 && (bytes == 2 || takes_rows_of_points(traits.radius, inputs, bytes))) {
    s.tile = rows_of_points.tile;
    s.block = BlockShape{{128, 2, 1}};
  } else if (takes_few_rows(traits.radius, inputs, bytes, *values, many)) {
    s.tile = few_rows.tile;
    s.block = with_few_idle(n.x);
  }
  return s;
}

GpuSchedule points_default(const Device& device, const Traits& traits, Index3 n,
                           const Strides& strides) {
  const Index rows = n.y - 2 * traits.radius.y;
  const bool flat = is_flat(traits.radius) && rows >= 4 && window_fits(traits.radius);
  const bool tall = !flat && rows >= tiled.tile;
  GpuSchedule s = flat ? flat_points(device, traits, n, strides) : GpuSchedule{};
  if (facts_of(device).streams_tiles) {
    if (tall && tile_fits(traits)) s = tiled_points();
    s.store = Store::nontemporal;
  } else if (tall && can_march(device)) {
    s = points_beside_marches(device.facts(), traits, n);
  }
  if (s.loads == Loads::packs) return s; // no planes, so no sub-domains either
  if (n.x <= 8) {                        // such as the faces in x that halos of ranks are read for
    s.block = BlockShape{{4, 64, 1}};
  } else if (n.x < 64) {
    s.block = BlockShape{{32, 8, 1}};
  } else if (!flat && s.tile == 1) {
    s.block = with_few_idle(n.x);
  }
  const Index planes = (2 * traits.radius.z + 1) * n.x * n.y * traits.element_bytes;
  const Index room = room_for_planes(device);
  if (traits.radius.z > 0 && planes > room && room > 0) {
    s.split = static_cast<int>(std::min<Index>(ceil_div(planes, room), 1024));
  }
  return s;
}

} // namespace ridge::stencil
