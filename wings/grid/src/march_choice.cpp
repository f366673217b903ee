#include "march_choice.hpp"

#include <ridge/device/kind.hpp>

#include <algorithm>

namespace ridge::solve::detail {

namespace {

/// Times of a step, of levels beyond the cache and of those within.
struct KnownTile {
  std::array<double, 2> down, up;
};

/// The schedules that are known to be good, in microseconds of an H100 80GB HBM3, whose ratios
/// choose (docs/design/solvers.md). Two blocks of a small tile were faster on levels that take a
/// large one no fewer steps. `ridge tune multigrid` finds those of another device.
constexpr std::array<KnownTile, march_tiles> known_tiles{{
    {{1.75, 1.75}, {1.57, 1.57}}, // large
    {{1.7, 1.52}, {1.45, 1.6}},   // small
    {{1.45, 1.3}, {1.6, 1.5}},    // cells
}};

/// A march begins and ends with as many steps that give nothing.
constexpr Index fewest_planes = 8;

/// Levels of fewer points are in a GPU's cache, and the passes of each own launch have more
/// threads: on an H100 they were faster up to 63^3 points. The emulated GPU has as many units as
/// the process has cores, and bits depend on the form: one limit for any number.
Index fewest_points(const Device& device) {
  return facts_of(device).is_emulated ? 8000 : Index{device.facts().units} * 4000;
}

bool is_cached(Index3 n, Index bytes, const Device& device) {
  return bytes == 4 || n.x * n.y * n.z * bytes <= device.facts().last_level_cache.value;
}

/// The tile that is asked for or, where a level has no room for it, the fastest; -1: there is none.
int taken_tile(const std::array<double, march_tiles>& steps, MarchTile asked,
               std::array<double, 2> KnownTile::* way, bool cached) {
  int best = -1;
  double least = 0;
  for (std::size_t t = 0; t < march_tiles; ++t) {
    if (steps[t] == 0) continue;
    if (tile_of(static_cast<int>(t)) == asked) return static_cast<int>(t);
    const double time = steps[t] * (known_tiles[t].*way)[cached ? 1 : 0];
    if (best >= 0 && time >= least) continue;
    best = static_cast<int>(t);
    least = time;
  }
  return best;
}

} // namespace

MarchChoice march_choice(const MarchFits& fits, const MarchSchedule& schedule, Index3 n,
                         Index bytes, const Device& device) {
  const Index points = n.x * n.y * n.z;
  const bool cached = is_cached(n, bytes, device);
  const int down = taken_tile(fits.down, schedule.down, &KnownTile::down, cached);
  const int up = taken_tile(fits.up, schedule.up, &KnownTile::up, cached);
  const Index from = schedule.march_from > 0 ? schedule.march_from : fewest_points(device);
  const bool is_large =
      n.z >= fewest_planes && (n.x + 2) * (n.y + 2) < (Index{1} << 31) && points >= from;
  MarchChoice choice;
  choice.plain = is_large && down >= 0 && up >= 0;
  choice.varied = is_large && fits.varied;
  choice.tile = std::max(down, 0);
  choice.up_tile = std::max(up, 0);
  choice.parts = down < 0 ? 0 : fits.parts[static_cast<std::size_t>(down)];
  return choice;
}

double march_time(const MarchFits& fits, const MarchChoice& choice, Index3 n, Index bytes,
                  const Device& device) {
  if (!choice.plain) return 0;
  const int cached = is_cached(n, bytes, device) ? 1 : 0;
  const auto down = static_cast<std::size_t>(choice.tile);
  const auto up = static_cast<std::size_t>(choice.up_tile);
  return fits.down[down] * known_tiles[down].down[cached] +
         fits.up[up] * known_tiles[up].up[cached];
}

} // namespace ridge::solve::detail
