// Shifts of whole fields, from host code.
#pragma once

#include <ridge/lattice/launch.hpp>

namespace ridge::lattice {

/// z(site) = x(site `by` further along dimension d), around the lattice, as a periodic one. Throws
/// UsageError for fields of two lattices, or a dimension that there is not.
template <class Site>
[[nodiscard]] ShiftCall<RealOf<Site>> shift_call(const Field<Site>& z, const Field<Site>& x, int d,
                                                 int by) {
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  check_dimension(x.lattice(), d, "cshift");
  return {x.shape(), x.geometry(), x.reals(), z.reals(), d, by};
}

/// Shifts once, in queue order. Throws UsageError when z is x.
template <class Site>
void cshift(Queue& queue, Field<Site>& z, const Field<Site>& x, int d, int by) {
  Program(queue, shift_call(z, x, d, by)).run();
}

} // namespace ridge::lattice
