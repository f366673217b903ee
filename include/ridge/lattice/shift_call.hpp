// Shifts of whole fields: number by number, without site types.
#pragma once

#include <ridge/lattice/site_view.hpp>

namespace ridge::lattice {

/// z(site) = x(site `by` further along `dimension`), around the lattice; z is not x.
template <class T>
struct ShiftCall {
  SiteShape shape;
  Geometry geometry;
  Span<const T> x;
  Span<T> z;
  int dimension = 0, by = 0;
};

} // namespace ridge::lattice
