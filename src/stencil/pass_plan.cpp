#include <ridge/stencil/pass_plan.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::stencil {

namespace {

/// Tiles along an axis: the first begins at `first`, the others `step` points further each. Results
/// begin `lead` points into a tile.
struct Axis {
  Index first, step, count, lead;
};

/// As few tiles as there can be; among these, results that begin at whole sectors where that takes
/// no more of them.
Axis along_x(const PassTiles& t, Index n) {
  const Index most = t.x - 2 * t.halo;
  const Index interior = n - 2 * t.radius;
  const auto round_down = [](Index value, Index unit) { return value / unit * unit; };
  // Copies begin at whole pieces: the halo on the left may have some points to spare.
  const Index begin = t.radius - t.halo;
  const Index first =
      begin >= 0 ? round_down(begin, t.piece) : -ceil_div(-begin, t.piece) * t.piece;
  const Index spare = begin - first;
  const Index step = round_down(most - spare, t.piece);
  const Axis close{first, step, ceil_div(interior, step), t.radius - first};
  // Results from a sector's begin on; the first tile's begin with the shell.
  const Index aligned_first = -ceil_div(t.halo, t.piece) * t.piece;
  const Index aligned_step = round_down(t.x - t.halo + aligned_first, t.sector);
  if (aligned_step <= 0) return close;
  const Axis aligned{aligned_first, aligned_step, ceil_div(n - t.radius, aligned_step),
                     -aligned_first};
  return aligned.count <= close.count ? aligned : close;
}

Axis along_y(const PassTiles& t, Index n) {
  const Index most = t.y - 2 * t.halo;
  const Index interior = n - 2 * t.radius;
  return {t.radius - t.halo, most, ceil_div(interior, most), t.halo};
}

/// Whether a tile that begins at `begin` holds points outside of the interior that its results
/// depend on.
bool at_edge(const PassTiles& t, Index begin, Index points, Index n) {
  return begin < t.radius || begin + points > n - t.radius;
}

} // namespace

PassPlan plan_pass(const PassTiles& t, Index3 n, int blocks) {
  const Axis x = along_x(t, n.x);
  const Axis y = along_y(t, n.y);
  const int z_begin = t.radius;
  const int z_end = static_cast<int>(n.z) - t.radius;
  const double planes = z_end - z_begin;

  std::vector<PassJob> columns;
  for (Index j = 0; j < y.count; ++j) {
    for (Index i = 0; i < x.count; ++i) {
      const Index x0 = x.first + i * x.step;
      const Index y0 = y.first + j * y.step;
      const bool edge = at_edge(t, x0, t.x, n.x) || at_edge(t, y0, t.y, n.y);
      columns.push_back({static_cast<int>(x0), static_cast<int>(y0), z_begin, z_end, edge ? 1 : 0});
    }
  }
  const auto cost = [&](const PassJob& job) { return job.at_edge != 0 ? t.edge_cost : 1.0; };

  const auto used = static_cast<std::size_t>(blocks);
  std::vector<std::vector<PassJob>> of_block(used);
  const std::size_t whole = columns.size() / used * used;
  for (std::size_t i = 0; i < whole; ++i)
    of_block[i % used].push_back(columns[i]);

  const std::size_t left = columns.size() - whole;
  double all = 0;
  double longest = 0;
  for (std::size_t i = whole; i < columns.size(); ++i) {
    all += cost(columns[i]);
    longest = std::max(longest, cost(columns[i]));
  }
  // A job warms up for as many planes as it has halo on both sides; most blocks get parts of two.
  const double warm_up = 2.0 * t.halo;
  const double share = all * planes / static_cast<double>(used);
  const double cut_time = share + 2 * warm_up;
  const double whole_time = longest * planes + warm_up;
  if (left > 0 && cut_time < 0.98 * whole_time) {
    const double least = std::min(share / 2, 2 * warm_up);
    std::size_t block = 0;
    double free = share;
    for (std::size_t i = whole; i < columns.size(); ++i) {
      PassJob rest = columns[i];
      while (rest.z_begin < rest.z_end) {
        const double wanted = (rest.z_end - rest.z_begin) * cost(rest);
        PassJob part = rest;
        if (wanted > free + least && block + 1 < used) {
          const int some = std::max(1, static_cast<int>(std::lround(free / cost(rest))));
          part.z_end = std::min(rest.z_end, rest.z_begin + some);
        }
        of_block[block].push_back(part);
        free -= (part.z_end - part.z_begin) * cost(part);
        rest.z_begin = part.z_end;
        if (free < least && block + 1 < used) {
          ++block;
          free += share;
        }
      }
    }
  } else {
    for (std::size_t i = 0; i < left; ++i)
      of_block[i].push_back(columns[whole + i]);
  }

  PassPlan plan;
  plan.lead_x = static_cast<int>(x.lead);
  plan.lead_y = static_cast<int>(y.lead);
  plan.step_x = static_cast<int>(x.step);
  plan.step_y = static_cast<int>(y.step);
  for (const std::vector<PassJob>& jobs : of_block) {
    plan.first.push_back(static_cast<int>(plan.jobs.size()));
    plan.jobs.insert(plan.jobs.end(), jobs.begin(), jobs.end());
  }
  plan.first.push_back(static_cast<int>(plan.jobs.size()));
  return plan;
}

} // namespace ridge::stencil
