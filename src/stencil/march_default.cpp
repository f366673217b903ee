#include "march_default.hpp"

#include <ridge/device/kind.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/variants.hpp>

#include <algorithm>
#include <limits>

namespace ridge::stencil {

namespace {

/// A shape that marches are compiled for and what it needs of a multiprocessor (measured on an
/// H200, docs/design/stencils_on_gpus.md and 0040).
struct Form {
  BlockShape block;
  int tile;
  int most_blocks; ///< that share a multiprocessor
  int spare;       ///< planes beside those held without which fewer blocks with more are better
  double busy;     ///< blocks a multiprocessor from which on the memory is at its full speed
  Stage stage = Stage::bulk;
  int shared_spare = 4; ///< most planes beside those held where blocks share one
};

constexpr Form wide{{{wide_march.threads_x, wide_march.threads_y, 1}}, wide_march.tile, 2, 4, 0.97};
constexpr Form tall{{{tall_march.threads_x, tall_march.threads_y, 1}}, tall_march.tile, 1, 4, 0.97};
/// Where the rings of several inputs leave no room for the one before.
constexpr Form lower{
    {{lower_march.threads_x, lower_march.threads_y, 1}}, lower_march.tile, 1, 4, 0.97};
/// Planes come as tiles (docs/design/stencils_on_gpus.md).
constexpr Form in_tiles(const MarchShape& shape) {
  return {{{shape.threads_x, shape.threads_y, 1}}, shape.tile, 1, 4, 0.97, Stage::tiles};
}
/// Where packs are joined two blocks with three planes on their way beat one with more.
constexpr Form joining{wide.block, wide.tile, 2, 3, 1.9};
constexpr Form narrow{
    {{narrow_march.threads_x, narrow_march.threads_y, 1}}, narrow_march.tile, 3, 2, 2.9};

/// Of numbers in 16 bits, whose wide tiles are as many bytes: 1 KB a row.
constexpr Form halves{{{64, 4, 1}}, 2, 3, 4, 2.9, Stage::bulk, 5};
bool takes_halves(const Traits& traits) {
  return traits.element_bytes == 2 && traits.inputs() == 1 && traits.radius.z == 1 &&
         planes_held(traits, Loads::stencil) == 1;
}

/// Columns of blocks over the x and y of the results.
struct Columns {
  Index count;
  double filled; ///< the share of their threads that compute results
};

/// `joins`: lanes compute 16 bytes of rows that begin anywhere, too.
Columns columns_of(const Form& form, const Traits& traits, Index3 n, const Strides& strides,
                   bool joins = false) {
  const RowsAt at = rows_at(traits, strides);
  const Index vector = at.rows == Rows::anywhere && !joins ? 1 : 16 / traits.element_bytes;
  const Index width = form.block.x * vector;
  const Index height = Index{form.block.y} * form.tile;
  const Index rows = n.y - 2 * traits.radius.y;
  const Index count =
      ceil_div(at.before + n.x - traits.radius.x - at.begin, width) * ceil_div(rows, height);
  return {count, static_cast<double>(n.x * rows) / static_cast<double>(count * width * height)};
}

/// The share of a form's threads that compute results, by that of another form's.
double filled_beside(const Form& form, const Form& other, const Traits& traits, Index3 n,
                     const Strides& strides) {
  return columns_of(form, traits, n, strides).filled / columns_of(other, traits, n, strides).filled;
}

/// Blocks for rows that fill them.
Form usual_form(const Traits& traits, Rows rows) {
  if (takes_tall(traits.radius, static_cast<std::size_t>(traits.element_bytes), rows)) return tall;
  return takes_halves(traits) ? halves : wide;
}

/// Narrow blocks where many threads of wide ones would have nothing to compute: they reach 0.8 to
/// 0.96 of their speed where both are filled.
Form form_for(const Traits& traits, Index3 n, const Strides& strides, bool joins) {
  const Rows rows = rows_at(traits, strides).rows;
  if (joins && rows == Rows::anywhere) return joining;
  const Form usual = usual_form(traits, rows);
  return rows != Rows::anywhere && filled_beside(usual, narrow, traits, n, strides) < 0.8 ? narrow
                                                                                          : usual;
}

/// Parts of the z axis such that the columns fill the multiprocessors evenly: of 1 to 16 the one
/// with the least time, a round of columns counting by how full it is and each column by its planes
/// and those it reads twice.
int best_chunks(Index tiles, Index resident, double enough, Index planes, int radius) {
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int chunks = 1; chunks <= 16; ++chunks) {
    const Index columns = tiles * chunks;
    const double column = static_cast<double>(ceil_div(planes, chunks) + 2 * radius + 4);
    double time = 0;
    for (Index done = 0; done < columns; done += resident) {
      const double active = static_cast<double>(std::min(columns - done, resident));
      time += std::max(active, enough) / static_cast<double>(resident) * column;
    }
    if (time < least * (1 - 1e-9)) {
      least = time;
      best = chunks;
    }
  }
  return best;
}

/// The longest ring that fits; 0 where none does.
int longest_ring(GpuSchedule s, const Traits& traits, bool packed, Index room) {
  for (s.ring = 16; s.ring >= planes_held(traits, s.loads) + 2; --s.ring) {
    if (march_ring_bytes(s, traits, packed) + march_fixed_bytes(s) <= room) return s.ring;
  }
  return 0;
}

/// Blocks of a form; nothing where no ring fits the shared memory.
std::optional<GpuSchedule> march_of(const Form& form, const DeviceFacts& facts,
                                    const Traits& traits, Index3 n, const Strides& strides,
                                    Loads loads) {
  const bool joins = loads == Loads::packs;
  GpuSchedule s;
  s.stage = form.stage;
  s.loads = loads;
  s.block = form.block;
  s.tile = form.tile;
  const Rows rows = rows_at(traits, strides).rows;
  const bool packed = rows == Rows::lines || (form.stage == Stage::tiles && rows != Rows::anywhere);
  const Index held = planes_held(traits, loads);
  const Index per_unit = facts.l1.value - 2 * 1024;
  const auto planes_of_each = [&](int blocks) {
    return longest_ring(s, traits, packed, per_unit / blocks);
  };
  int blocks = form.most_blocks;
  while (blocks > 1 && planes_of_each(blocks) < held + form.spare)
    --blocks;
  const Index ring = planes_of_each(blocks);
  if (ring == 0) return std::nullopt;
  s.ring = static_cast<int>(std::min<Index>(ring, blocks > 1 ? held + form.shared_spare : 8));
  const double enough = std::min<double>(form.busy, blocks) * static_cast<double>(facts.units);
  s.chunks =
      best_chunks(columns_of(form, traits, n, strides, joins).count, Index{blocks} * facts.units,
                  enough, n.z - 2 * traits.radius.z, traits.radius.z);
  return s;
}

MarchShape most_tiled(const Traits& traits) {
  return tiled_march(traits.radius, static_cast<std::size_t>(traits.element_bytes),
                     takes_sixteen_warps(traits.radius, traits.inputs(), traits.by_axis));
}

/// Planes as tiles: of most rows that the rings leave room for.
std::optional<GpuSchedule> tiles_of(const DeviceFacts& facts, const Traits& traits, Index3 n,
                                    const Strides& strides, Loads loads) {
  const auto bytes = static_cast<std::size_t>(traits.element_bytes);
  auto made = march_of(in_tiles(most_tiled(traits)), facts, traits, n, strides, loads);
  return made ? made
              : march_of(in_tiles(lower_tiled(traits.radius, bytes)), facts, traits, n, strides,
                         loads);
}

/// Least share of lanes of joined packs that compute results: tiles of points take 1.12 times as
/// long where 0.84 do.
constexpr double least_joined = 0.75;

} // namespace

bool comes_as_tiles(const Traits& traits, Index3 n, const Strides& strides, Loads loads) {
  const Rows rows = rows_at(traits, strides).rows;
  const bool whole = rows == Rows::lines || rows == Rows::packs;
  if (loads == Loads::packs || !whole || traits.inputs() > most_tiled_inputs) return false;
  const auto bytes = static_cast<std::size_t>(traits.element_bytes);
  const bool tall = takes_tiles(traits.radius, rows);
  // Copied rows of tall footprints are half as fast in narrow blocks, in fp64 those of two rows.
  if (filled_beside(in_tiles(most_tiled(traits)), narrow, traits, n, strides) <
      (bytes == 8 || (tall && bytes > 2) ? 0.5 : 0.8))
    return false;
  if (tall) return true;
  const bool planes =
      loads == Loads::ascending || planes_held(traits, Loads::stencil) > traits.radius.z;
  if (!tiles_narrow(traits.radius, traits.inputs(), read_around(traits), bytes, planes))
    return false;
  // Copied rows of one plane's box are as fast in larger fields.
  if (bytes == 4 && traits.radius.y == 1 && planes && n.x * n.y * n.z > 8'000'000) return false;
  const Form usual = usual_form(traits, rows);
  const bool idle = filled_beside(usual, narrow, traits, n, strides) < 0.8;
  return idle ||
         (bytes == 8 && traits.radius.y > 1 && columns_of(usual, traits, n, strides).filled < 0.9);
}

int read_around(const Traits& traits) {
  return static_cast<int>(
      std::count_if(traits.footprints.begin(), traits.footprints.end(), [](const auto& offsets) {
        return std::any_of(offsets.begin(), offsets.end(),
                           [](const Offset& o) { return o != Offset{}; });
      }));
}

std::optional<GpuSchedule> points_anywhere(const Traits& traits, const Strides& strides) {
  if (rows_at(traits, strides).rows != Rows::anywhere || march_loads(traits) != Loads::stencil)
    return std::nullopt;
  GpuSchedule s;
  const auto bytes = static_cast<std::size_t>(traits.element_bytes);
  if (takes_rows_of_points(traits.radius, traits.inputs(), bytes)) {
    s.tile = rows_of_points.tile;
    s.block = BlockShape{{128, 2, 1}};
    return s;
  }
  s.block = BlockShape{{32, 8, 1}};
  if (bytes == 8 && traits.radius.y > 1) return s;
  return std::nullopt;
}

std::optional<GpuSchedule> march_default(const DeviceFacts& facts, const Traits& traits, Index3 n,
                                         const Strides& strides, Loads loads,
                                         std::optional<Stage> asked) {
  const bool joins = loads == Loads::packs;
  const bool tiles = asked ? *asked == Stage::tiles : comes_as_tiles(traits, n, strides, loads);
  if (joins && !asked && rows_at(traits, strides).rows == Rows::anywhere &&
      columns_of(joining, traits, n, strides, true).filled < least_joined)
    return std::nullopt;
  if (tiles) {
    if (auto made = tiles_of(facts, traits, n, strides, loads)) return made;
  }
  const auto made_of = [&](const Form& form) {
    return march_of(form, facts, traits, n, strides, loads);
  };
  const Form form = form_for(traits, n, strides, joins);
  auto made = made_of(form);
  if (joins) return made;
  if (!made && form.block == tall.block && form.tile == tall.tile) made = made_of(lower);
  return made ? made : made_of(narrow);
}

std::optional<GpuSchedule> window_default(const DeviceFacts& facts, DeviceKind kind,
                                          const Traits& traits, Index3 n, const Strides& strides) {
  // Whole columns, 1.9 blocks a multiprocessor, beat columns in parts on an H200.
  const Form form{{{usual_window.threads_x, usual_window.threads_y, 1}},
                  usual_window.tile,
                  3,
                  0,
                  facts_of(kind).busy_windows};
  GpuSchedule s;
  s.stage = Stage::window;
  s.block = form.block;
  s.tile = form.tile;
  s.store = Store::nontemporal;
  const Index bytes = window_bytes(s, traits, kind);
  if (bytes > facts.shared_per_block.value) return std::nullopt;
  const Index per_unit =
      facts_of(kind).l1_is_shared_memory ? facts.l1.value : facts.shared_per_block.value;
  const Index blocks =
      std::clamp<Index>(bytes > 0 ? per_unit / bytes : form.most_blocks, 1, form.most_blocks);
  const double enough = std::min<double>(form.busy, static_cast<double>(blocks)) * facts.units;
  s.chunks = best_chunks(columns_of(form, traits, n, strides).count, blocks * facts.units, enough,
                         n.z - 2 * traits.radius.z, traits.radius.z);
  return s;
}

std::optional<GpuSchedule> march_for(const DeviceFacts& facts, DeviceKind kind, Copies copies,
                                     const Traits& traits, Index3 n, const Strides& strides) {
  if (copies == Copies::bulk) return march_default(facts, traits, n, strides, march_loads(traits));
  if (!facts_of(kind).copies_past_registers) return window_default(facts, kind, traits, n, strides);
  if (copies == Copies::none) return std::nullopt;
  // A block that copies its planes waits at its barriers: where no other fits beside it, tiles of
  // points are better (docs/design/stencils_on_gpus.md).
  const auto window = window_default(facts, kind, traits, n, strides);
  if (window && 2 * window_bytes(*window, traits, kind) > facts.l1.value) return std::nullopt;
  return window;
}

} // namespace ridge::stencil
