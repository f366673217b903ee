// The schedule without measuring: from cache sizes, extents and the kernel's radius.
#include <ridge/device/kind.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/schedule.hpp>
#include <ridge/stencil/variants.hpp>

#include "cpu_default.hpp"
#include "march_default.hpp"
#include "points_default.hpp"

#include <algorithm>

namespace ridge::stencil {

namespace {

bool is_large(const Device& device, const Traits& traits, Index3 n, const Strides& strides) {
  if (can_march(device)) return is_large_for_march(device.facts(), traits, n, strides);
  return n.x * n.y * n.z * traits.element_bytes > device.facts().last_level_cache.value / 2;
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

/// True for numbers of 16 bits that do not come in packs: lanes load 2 bytes at a time, each with
/// an address of its own.
bool narrow_anywhere(const Traits& traits, const Strides& strides) {
  return traits.element_bytes == 2 && rows_at(traits, strides).rows == Rows::anywhere;
}

/// Whether a march would compute one fp32 value a thread, which tiles of points beat
/// (docs/design/stencils_on_gpus.md).
bool better_in_tiles(const Traits& traits, const Strides& strides) {
  return traits.element_bytes == 4 && rows_at(traits, strides).rows == Rows::anywhere;
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
