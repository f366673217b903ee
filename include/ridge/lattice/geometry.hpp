// Where the sites of a lattice lie, as kernels see it: ridge/lattice/layout.hpp says how.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

#include <cstdint>

namespace ridge::lattice {

/// A site, as where its group is and which lane of it.
struct Place {
  Index group = 0;
  int lane = 0;
};

/// Coordinates of a site; those beyond the rank are 0.
struct Coordinates {
  int x[max_rank] = {};
  RIDGE_FN int& operator[](int d) { return x[d]; }
  RIDGE_FN int operator[](int d) const { return x[d]; }
  friend constexpr bool operator==(const Coordinates&, const Coordinates&) = default;
};

/// Sites from `begin` up to, not including, `end` along each dimension.
struct SiteBox {
  Coordinates begin, end;

  [[nodiscard]] RIDGE_FN bool holds(const Coordinates& x) const {
    bool inside = true;
    RIDGE_UNROLL
    for (int d = 0; d < max_rank; ++d)
      inside = inside && x[d] >= begin[d] && x[d] < end[d];
    return inside;
  }
  [[nodiscard]] RIDGE_FN Index count() const {
    Index sites = 1;
    RIDGE_UNROLL
    for (int d = 0; d < max_rank; ++d)
      sites *= end[d] > begin[d] ? end[d] - begin[d] : 0;
    return sites;
  }
};

/// Where a site is, and where within its box.
struct Position {
  Coordinates x, within;
};

/// How the sites of a lattice lie for numbers of one size. Plain data, for kernels.
struct Geometry {
  int rank = 0;
  int nsimd = 1;                         ///< lanes of a group
  int local[max_rank] = {1, 1, 1, 1, 1}; ///< extents of a box
  int lanes[max_rank] = {1, 1, 1, 1, 1}; ///< boxes along each dimension
  Index group_stride[max_rank] = {};     ///< groups between neighbours within a box
  int lane_stride[max_rank] = {};        ///< lanes between boxes that are neighbours
  Index groups = 0;

  [[nodiscard]] RIDGE_FN int extent(int d) const { return local[d] * lanes[d]; }
  [[nodiscard]] RIDGE_FN Index sites() const { return groups * nsimd; }

  [[nodiscard]] RIDGE_FN Coordinates coordinates(const Place& place) const {
    return position(place).x;
  }
  [[nodiscard]] RIDGE_FN Position position(const Place& place) const {
    Position p;
    if (groups <= 0x7fffffff) { // divisions of 32 bits are several times faster
      fill(p, static_cast<unsigned>(place.group), place.lane);
    } else {
      fill(p, static_cast<std::uint64_t>(place.group), place.lane);
    }
    return p;
  }
  [[nodiscard]] RIDGE_FN Place place(const Coordinates& c) const {
    Place p;
    RIDGE_UNROLL
    for (int d = max_rank - 1; d >= 0; --d) {
      if (d >= rank) continue;
      const int box = c[d] / local[d];
      p.group = p.group * local[d] + (c[d] - box * local[d]);
      p.lane = p.lane * lanes[d] + box;
    }
    return p;
  }
  /// The place `by` further along dimension d, around the lattice, of a site whose coordinate along
  /// it is `x`.
  [[nodiscard]] RIDGE_FN Place shifted(const Place& from, int x, int d, int by) const {
    const int n = extent(d);
    int to = (x + by) % n;
    to += to < 0 ? n : 0;
    const int box = x / local[d];
    const int new_box = to / local[d];
    const int step = (to - new_box * local[d]) - (x - box * local[d]);
    return {from.group + step * group_stride[d], from.lane + (new_box - box) * lane_stride[d]};
  }
  /// The neighbour by one step, forwards or back, along dimension d of a site that is at `x` along
  /// it, at `within` of its box: without a division.
  [[nodiscard]] RIDGE_FN Place next(const Place& from, int x, int within, int d, bool back) const {
    const int to = back ? -1 : 1;
    const bool leaves_box = within == (back ? 0 : local[d] - 1);
    const bool goes_around = x == (back ? 0 : extent(d) - 1);
    const int groups_on = leaves_box ? -to * (local[d] - 1) : to;
    const int boxes_on = leaves_box ? (goes_around ? -to * (lanes[d] - 1) : to) : 0;
    return {from.group + groups_on * group_stride[d], from.lane + boxes_on * lane_stride[d]};
  }
  friend bool operator==(const Geometry&, const Geometry&) = default;

private:
  template <class U>
  RIDGE_FN void fill(Position& p, U group, int lane) const {
    RIDGE_UNROLL
    for (int d = 0; d < max_rank; ++d) {
      if (d >= rank) continue;
      const auto length = static_cast<U>(local[d]);
      const U rest = group / length;
      p.within[d] = static_cast<int>(group - rest * length);
      p.x[d] = p.within[d] + (lane & (lanes[d] - 1)) * local[d];
      group = rest;
      lane /= lanes[d];
    }
  }
};

} // namespace ridge::lattice
