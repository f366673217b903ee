// The schedule without measuring: from cache sizes, extents and the kernel's radius.
#include <ridge/device/kind.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/schedule.hpp>
#include <ridge/stencil/variants.hpp>

#include "cpu_default.hpp"
#include "march_default.hpp"

#include <algorithm>

namespace ridge::stencil {

namespace {

/// Whether fields are large enough for a march: of half the cache. Where planes come as tiles it is
/// faster than points from a quarter on, of footprints of two or three rows from an eighth
/// (docs/design/stencils_on_gpus.md).
bool is_large(const Device& device, const Traits& traits, Index3 n, const Strides& strides) {
  const int rows = traits.radius.y;
  const bool tiles =
      rows > 1 && can_march(device) && comes_as_tiles(traits, n, strides, march_loads(traits));
  const int share = !tiles ? 2 : rows > 3 ? 4 : 8;
  return n.x * n.y * n.z * traits.element_bytes > device.facts().last_level_cache.value / share;
}

/// Whether a march is worth it: large fields, rows that fill a tile, enough planes to march
/// through.
bool marches(const Device& device, const Traits& traits, Index3 n, const Strides& strides) {
  return device.is_gpu() && traits.radius.z > 0 &&
         halo_fits(traits.radius, static_cast<std::size_t>(traits.element_bytes)) && n.x >= 96 &&
         n.y >= 4 + 2 * traits.radius.y && n.z >= 8 + 4 * traits.radius.z &&
         is_large(device, traits, n, strides);
}

Copies copies_of(const Device& device) {
  if (can_march(device)) return Copies::bulk;
  return can_copy_asynchronously(device) ? Copies::asynchronous : Copies::none;
}

/// The fifth kernel of the AMD series.
GpuSchedule tiled_points() {
  GpuSchedule s;
  s.tile = tiled.tile;
  s.loads = tiled.loads;
  s.bounds = tiled.bounds;
  s.store = Store::nontemporal;
  return s;
}

/// Whether tiles of a kernel fit the registers.
bool tile_fits(const Traits& traits) {
  if (!window_fits(traits.radius)) return false;
  int values = 0;
  for (const auto& offsets : traits.footprints)
    values += window_values(offsets, tiled.tile);
  return stencil::tile_fits(values);
}

/// True for numbers of 16 bits that do not come in packs: lanes load 2 bytes at a time, each with
/// an address of its own.
bool narrow_anywhere(const Traits& traits, const Strides& strides) {
  return traits.element_bytes == 2 && rows_at(traits, strides).rows == Rows::anywhere;
}

/// How much of the last-level cache three planes may take.
Index room_for_planes(const Device& device) {
  const Share share = facts_of(device).planes_of_cache;
  return device.facts().last_level_cache.value / share.whole * share.part;
}

/// Whether a march would compute one fp32 value a thread, which tiles of points beat
/// (docs/design/stencils_on_gpus.md).
bool better_in_tiles(const Traits& traits, const Strides& strides) {
  return traits.element_bytes == 4 && rows_at(traits, strides).rows == Rows::anywhere;
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

/// Fewer points in tiles leave multiprocessors without work: 96^3 do, 128^3 do not.
constexpr Index fewest_in_tiles = 1'500'000;

/// Points, in tiles where the kernel is compiled for them. Where three planes do not fit the
/// last-level cache, sub-domains in y of which three planes do.
GpuSchedule points_default(const Device& device, const Traits& traits, Index3 n,
                           const Strides& strides) {
  const Index rows = n.y - 2 * traits.radius.y;
  const bool flat = is_flat(traits.radius) && rows >= 4 && window_fits(traits.radius);
  const bool tall = !flat && rows >= tiled.tile;
  const bool tiles = tall && tile_fits(traits);
  GpuSchedule s = flat ? flat_points(device, traits, n, strides) : GpuSchedule{};
  if (facts_of(device).streams_tiles) {
    if (tiles) s = tiled_points();
    s.store = Store::nontemporal;
  } else if (tiles && can_march(device)) {
    const bool any_rows = better_in_tiles(traits, strides);
    if (any_rows || n.x * n.y * n.z >= fewest_in_tiles) s = tiled_points();
    if (any_rows) s.block = BlockShape{{128, 2, 1}};
  } else if (tall && can_march(device) && narrow_anywhere(traits, strides) &&
             n.x * n.y * n.z >= fewest_in_tiles) {
    s.tile = tiled.tile;
    s.block = with_few_idle(n.x);
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

/// Whether a march that joins packs beats these tiles: in fields beyond the cache
/// (docs/design/stencils_on_gpus.md).
bool joins(const Device& device, const Traits& traits, Index3 n, const Strides& strides) {
  const bool beyond =
      n.x * n.y * n.z * traits.element_bytes > device.facts().last_level_cache.value;
  return can_march(device) && beyond && march_loads(traits) == Loads::stencil &&
         marches(device, traits, n, strides);
}

} // namespace

Schedule default_schedule(const Device& device, const Traits& traits, Index3 extents,
                          bool bulk_copies, const std::optional<Strides>& strides) {
  const Strides at = strides.value_or(Strides::packed(extents));
  if (!facts_of(device).takes_gpu_schedules)
    return cpu_default(device.facts(), traits, extents, at);
  const bool tiles = tile_fits(traits) && better_in_tiles(traits, at);
  if (tiles && joins(device, traits, extents, at)) {
    const auto march = march_default(device.facts(), traits, extents, at, Loads::packs);
    if (march && bulk_copies) return *march;
  }
  // Inputs that do not begin where bulk copies may are for points, and numbers in 16 bits that do
  // not come in packs where lanes copy them or tiles fit the registers.
  const bool bulk = copies_of(device) == Copies::bulk;
  const bool narrow = narrow_anywhere(traits, at) && (!bulk || tile_fits(traits));
  const bool can = !narrow && (bulk_copies || !bulk);
  if (!tiles && can && marches(device, traits, extents, at)) {
    const auto points = bulk ? points_anywhere(traits, at) : std::nullopt;
    if (points) return *points;
    const auto march =
        march_for(device.facts(), device.kind(), copies_of(device), traits, extents, at);
    if (march) return *march;
  }
  return points_default(device, traits, extents, at);
}

} // namespace ridge::stencil
