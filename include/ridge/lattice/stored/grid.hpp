// Where the sites of stored fields lie: whole lattices of four dimensions or the sites of one
// parity, with one value a site or several (a fifth dimension). Plain data, for kernels.
//
// The parity of a site is that of x + y + z + t. Of a half lattice the coordinate along x is stored
// halved: x = 2 h + (y + z + t + parity) mod 2. Sites of a group lie side by side, number after
// number. Which sites make a group:
//   neighbours  consecutive sites, x fastest, then y, z, t: for GPUs, and where boxes are not
//               possible
//   boxes       sites of equal position in equal boxes, as for vectors of a cpu: neighbours of a
//               group are a group
//   inner       all values of the fifth dimension of one site
// docs/design/lattices.md says why this is beside Geometry.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

namespace ridge::lattice {

inline constexpr int grid_dimensions = 4;

/// Lanes of a group of neighbouring sites on GPUs: what a warp reads by 16 bytes a lane is whole
/// lines.
inline constexpr int gpu_lanes = 32;

struct SiteGrid {
  int extent[grid_dimensions] = {1, 1, 1, 1}; ///< of what is stored: along x halved for one parity
  int boxes[grid_dimensions] = {1, 1, 1, 1};  ///< along each dimension; all 1: no boxes
  int half = 0;                               ///< 1: the sites of one parity; 0: all sites
  int parity = 0;                             ///< of the sites of a half lattice
  int inner = 1;                              ///< values a site
  int lanes = 1;  ///< of a group: boxes, or consecutive sites; of fields with inner values: these
  int chunk = 16; ///< bytes of a lane that lie together; 0: one element

  [[nodiscard]] RIDGE_FN Index sites() const {
    return Index{extent[0]} * extent[1] * extent[2] * extent[3];
  }
  [[nodiscard]] RIDGE_FN bool has_boxes() const {
    return boxes[0] * boxes[1] * boxes[2] * boxes[3] > 1;
  }
  [[nodiscard]] RIDGE_FN int local(int d) const { return extent[d] / boxes[d]; }
  /// The number of a site among all that are stored, x fastest.
  [[nodiscard]] RIDGE_FN Index index(const int (&c)[grid_dimensions]) const {
    return c[0] + extent[0] * (c[1] + extent[1] * (c[2] + Index{extent[2]} * c[3]));
  }
  /// 1 where x = 2 h + 1 at this site of a half lattice.
  [[nodiscard]] RIDGE_FN int odd(const int (&c)[grid_dimensions]) const {
    return (c[1] + c[2] + c[3] + parity) & 1;
  }
  friend bool operator==(const SiteGrid&, const SiteGrid&) = default;
};

/// Stored sites from `begin` up to, not including, `end` along each dimension.
struct SiteWindow {
  int begin[grid_dimensions] = {};
  int end[grid_dimensions] = {};

  [[nodiscard]] RIDGE_FN bool holds(const int (&c)[grid_dimensions]) const {
    bool inside = true;
    RIDGE_UNROLL
    for (int d = 0; d < grid_dimensions; ++d)
      inside = inside && c[d] >= begin[d] && c[d] < end[d];
    return inside;
  }
  [[nodiscard]] RIDGE_FN Index count() const {
    Index sites = 1;
    RIDGE_UNROLL
    for (int d = 0; d < grid_dimensions; ++d)
      sites *= end[d] > begin[d] ? end[d] - begin[d] : 0;
    return sites;
  }
  friend bool operator==(const SiteWindow&, const SiteWindow&) = default;
};

/// All stored sites of a grid.
[[nodiscard]] inline SiteWindow window_of(const SiteGrid& g) {
  SiteWindow all;
  for (int d = 0; d < grid_dimensions; ++d)
    all.end[d] = g.extent[d];
  return all;
}
/// The window as a grid of its own: its extents, for tiles, schedules and records.
[[nodiscard]] inline SiteGrid windowed(SiteGrid g, const SiteWindow& w) {
  for (int d = 0; d < grid_dimensions; ++d)
    g.extent[d] = w.end[d] - w.begin[d];
  return g;
}

/// A stored value: its group and its lane.
struct StoredPlace {
  Index group = 0;
  int lane = 0;
};

/// Where a site's value lies, by the grid's coordinates. `inner`: fields with a value for each
/// value of the fifth dimension, `s` the one; else fields with one value a site, of `lanes` lanes.
[[nodiscard]] RIDGE_FN StoredPlace stored_place(const SiteGrid& g, const int (&c)[grid_dimensions],
                                                bool inner, int s, int lanes) {
  if (inner && g.inner > 1) return {g.index(c), s};
  if (!g.has_boxes()) {
    const Index site = g.index(c);
    return {site / lanes, static_cast<int>(site % lanes)};
  }
  StoredPlace p;
  for (int d = grid_dimensions - 1; d >= 0; --d) {
    p.group = p.group * g.local(d) + c[d] % g.local(d);
    p.lane = p.lane * g.boxes[d] + c[d] / g.local(d);
  }
  return p;
}

} // namespace ridge::lattice
