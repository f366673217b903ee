// The sites of a box as rows: groups that follow each other in memory, in which each lane is in the
// box from end to end, or outside of it.
#pragma once

#include <ridge/lattice/geometry.hpp>

namespace ridge::lattice {

/// Rows of a box in a field. With a dimension of slices they are those of one slice of a lane's
/// box, and of every slice: the box counts along the other dimensions.
struct BoxRows {
  Geometry geometry;
  SiteBox box;
  Index length = 0; ///< groups of a row
  Index rows = 1;

  BoxRows(const Geometry& g, const SiteBox& of, int slices_along)
      : geometry(g), box(of), length(g.groups) {
    bool begun = false; // dimensions below are whole, and within rows
    for (int d = 0; d < g.rank; ++d) {
      const bool sliced = d == slices_along;
      if (sliced) {
        box.begin[d] = 0;
        box.end[d] = g.extent(d);
        slice_stride_ = g.group_stride[d];
      }
      const int own = box.end[d] - box.begin[d];
      if (!begun && !sliced && own == g.extent(d)) continue;
      const bool alike = g.lanes[d] == 1 && !sliced; // the box is at the same place of all lanes
      first_[d] = alike ? box.begin[d] : 0;
      count_[d] = sliced ? 1 : !alike ? g.local[d] : own > 0 ? own : 0;
      if (!begun) {
        length = g.group_stride[d] * (alike ? count_[d] : 1);
        if (alike && own > 0) count_[d] = 1; // one row from end to end
      }
      begun = true;
      rows *= count_[d];
    }
  }

  /// The first group of a row.
  [[nodiscard]] RIDGE_FN Index group(Index row, Index slice) const {
    Index at = slice * slice_stride_;
    RIDGE_UNROLL
    for (int d = 0; d < max_rank; ++d) {
      const Index rest = row / count_[d];
      at += (first_[d] + (row - rest * count_[d])) * geometry.group_stride[d];
      row = rest;
    }
    return at;
  }
  [[nodiscard]] RIDGE_FN bool wants(const Coordinates& x) const { return box.holds(x); }

private:
  Index slice_stride_ = 0;
  int first_[max_rank] = {};
  int count_[max_rank] = {1, 1, 1, 1, 1}; ///< positions where rows begin
};

} // namespace ridge::lattice
