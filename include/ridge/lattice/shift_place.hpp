// Where a shift finds a site.
#pragma once

#include <ridge/lattice/geometry.hpp>

namespace ridge::lattice::inline RIDGE_TARGET_NAME {

/// The place `by` further along dimension d.
RIDGE_FN Place shifted(const Geometry& g, const Place& place, int d, int by) {
  Coordinates x = g.coordinates(place);
  const int n = g.extent(d);
  x[d] = (x[d] + by % n + n) % n;
  return g.place(x);
}

} // namespace ridge::lattice::inline RIDGE_TARGET_NAME
