// The grid of cells for a box and a cutoff, and what is wrong with positions that it refuses.
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pairs/lists/engine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ridge::pairs::detail {

namespace {

constexpr const char* axis_names = "xyz";

/// Cells of half the reach are as good as any; more cells than bodies are a waste.
double side_for(const Grid& grid, double reach, Index bodies) {
  const double most = std::max(512.0, 2 * static_cast<double>(bodies));
  double side = reach / 2;
  for (;; side *= 1.1) {
    double cells = 1;
    for (const double length : grid.length)
      cells *= std::max(1.0, std::floor(length / side));
    if (cells <= most) return side;
  }
}

} // namespace

Grid grid_for(const ListOptions& options, Index bodies, const Bounds& bounds) {
  Grid grid;
  const double reach = options.cutoff + options.skin;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    grid.periodic[a] = options.box.periodic[axis];
    grid.low[a] = options.box.low[axis];
    grid.length[a] = options.box.length[axis];
    if (grid.length[a] > 0) continue;
    grid.low[a] = bounds.low[a];
    grid.length[a] = std::max(bounds.high[a] - bounds.low[a], reach / 64);
    grid.length[a] *= 1 + 1e-6; // what is rounded in float is still within
    grid.low[a] -= grid.length[a] * 5e-7;
  }
  for (int a = 0; a < 3; ++a) { // differences are squared in float
    if (!(grid.length[a] <= 1e30)) {
      throw UsageError(fmt::format("the box of bodies is {:g} long along {}; lists take up to "
                                   "1e30: choose another unit of length",
                                   grid.length[a], axis_names[a]));
    }
  }
  const double side = side_for(grid, reach, bodies);
  Index inside = 64;
  Index all = 1;
  for (int a = 0; a < 3; ++a) {
    const auto cells = static_cast<int>(std::max(1.0, std::floor(grid.length[a] / side)));
    grid.cells[a] = cells;
    grid.inverse_side[a] = cells / grid.length[a];
    if (grid.periodic[a])
      grid.halo[a] = static_cast<int>(std::ceil(reach * grid.inverse_side[a] * (1 + 1e-5)));
    inside *= ceil_div(cells, 4);
    all *= cells + 2 * grid.halo[a];
  }
  require_countable(inside + all, "cells");
  grid.inside = static_cast<unsigned>(inside);
  grid.all = static_cast<unsigned>(inside + all);
  return grid;
}

float reach_of(const ListOptions& options, const Grid& grid) {
  const double reach = options.cutoff + options.skin;
  double extent = reach;
  for (int a = 0; a < 3; ++a)
    extent = std::max(extent, grid.length[a] + 2 * reach);
  return static_cast<float>(reach * (1 + 1e-6) + 4 * 0x1p-23 * extent);
}

double far_from(const Grid& grid, const ListOptions& options) {
  double most = 0; // of coordinates
  for (int a = 0; a < 3; ++a)
    most = std::max({most, std::abs(grid.low[a]), std::abs(grid.low[a] + grid.length[a])});
  return std::max(1e9, 2 * most + 4 * (options.cutoff + options.skin));
}

ListData data_for(const ListOptions& options, Index bodies, int share, int unit) {
  ListData data;
  data.bodies = bodies;
  data.share = share;
  data.unit = unit;
  data.first_slot = first_slot_of(bodies, unit, options.part, options.parts);
  data.end_slot = first_slot_of(bodies, unit, options.part + 1, options.parts);
  data.cutoff = options.cutoff;
  data.length = options.box.length;
  return data;
}

template <class T>
void refuse_positions(Queue& queue, const Positions<T>& positions, const ListOptions& options) {
  const Index count = positions[0].size;
  std::array<std::vector<T>, 3> host;
  for (std::size_t a = 0; a < 3; ++a) {
    host[a].resize(static_cast<std::size_t>(count));
    copy_to_host(queue, host[a].data(), positions[a].data, count);
  }
  queue.wait();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    for (std::size_t a = 0; a < 3; ++a) {
      const double at = host[a][i];
      const double low = options.box.low[a];
      const double length = options.box.length[a];
      if (!std::isfinite(at)) {
        throw UsageError(fmt::format("{} of body {} is {}; positions must be finite (bodies count "
                                     "from 0)",
                                     axis_names[a], i, std::isnan(at) ? "NaN" : "infinite"));
      }
      if (length <= 0) continue;
      if (options.box.periodic[a] && std::abs(at - low) > 399 * length) {
        throw UsageError(fmt::format("{} of body {} is {:g}, hundreds of periods of {:g} away; "
                                     "at most 399 are taken",
                                     axis_names[a], i, at, length));
      }
      if (!options.box.periodic[a] && !Grid::is_between(host[a][i], low, length)) {
        throw UsageError(fmt::format("{} of body {} is {:g}, outside of the box from {:g} to {:g}, "
                                     "which is not periodic along {}",
                                     axis_names[a], i, at, low, low + length, axis_names[a]));
      }
    }
  }
  throw UsageError("a position is not finite or not within the box");
}

template void refuse_positions<float>(Queue&, const Positions<float>&, const ListOptions&);
template void refuse_positions<double>(Queue&, const Positions<double>&, const ListOptions&);

void require_countable(Index count, const char* what) {
  if (count < (Index{1} << 31)) return;
  throw Failure(fmt::format("{} {} of lists of near pairs are needed, and fewer than 2^31 can be; "
                            "give a smaller cutoff or fewer bodies",
                            count, what));
}

} // namespace ridge::pairs::detail
