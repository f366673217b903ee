#include "mask.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ridge::solve::detail {

namespace {

struct Region {
  Index points = 0;
  std::array<int, 3> one{}; ///< of its points
  bool is_fixed = false;    ///< it lies at a face that holds a value
};

/// All regions of points that are neighbours.
std::vector<Region> regions_of(const std::vector<Role>& roles, const std::vector<Axis>& axes) {
  std::vector<char> seen;
  for (const Role role : roles)
    seen.push_back(role == Role::masked ? 1 : 0);
  const std::array<int, 3> n{axes[0].points(), axes[1].points(), axes[2].points()};
  const auto index = [&](const std::array<int, 3>& at) {
    return static_cast<std::size_t>(at[0]) +
           static_cast<std::size_t>(n[0]) *
               (static_cast<std::size_t>(at[1]) +
                static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(at[2]));
  };
  std::vector<Region> regions;
  std::vector<std::array<int, 3>> open;
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x) {
        if (seen[index({x, y, z})] != 0) continue;
        Region region;
        region.one = {x, y, z};
        open.push_back(region.one);
        seen[index(region.one)] = 1;
        while (!open.empty()) {
          const std::array<int, 3> at = open.back();
          open.pop_back();
          ++region.points;
          region.is_fixed = region.is_fixed || roles[index(at)] == Role::held;
          for (std::size_t d = 0; d < 3; ++d) {
            for (int side = 0; side < 2; ++side) {
              if (!axes[d].has_neighbour(at[d], side)) continue;
              std::array<int, 3> next = at;
              next[d] = (at[d] + (side == 0 ? n[d] - 1 : 1)) % n[d];
              if (seen[index(next)] != 0) continue;
              seen[index(next)] = 1;
              open.push_back(next);
            }
          }
        }
        regions.push_back(region);
      }
    }
  }
  return regions;
}

} // namespace

void require_connected(const std::vector<Role>& roles, const std::vector<Axis>& axes,
                       bool has_shift, Index3 first) {
  const std::vector<Region> regions = regions_of(roles, axes);
  if (regions.empty()) throw UsageError("the mask leaves no point to solve for");
  if (has_shift) return;
  const bool faces_fix = std::any_of(axes.begin(), axes.end(), [](const Axis& axis) {
    return axis.walls[0].holds_value || axis.walls[1].holds_value;
  });
  if (!faces_fix && regions.size() == 1) return;
  const auto smallest =
      std::min_element(regions.begin(), regions.end(), [](const Region& a, const Region& b) {
        return a.is_fixed != b.is_fixed ? !a.is_fixed : a.points < b.points;
      });
  if (smallest->is_fixed) return;
  throw UsageError(fmt::format("the mask cuts off {} point{} around x={} y={} z={}, whose mean no "
                               "face fixes; mask {}, too, "
                               "or give a shift",
                               smallest->points, smallest->points == 1 ? "" : "s",
                               smallest->one[0] + first.x, smallest->one[1] + first.y,
                               smallest->one[2] + first.z, smallest->points == 1 ? "it" : "them"));
}

} // namespace ridge::solve::detail
