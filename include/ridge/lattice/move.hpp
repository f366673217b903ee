// Shifts and random fields, from host code.
#pragma once

#include <ridge/lattice/shift_call.hpp>

namespace ridge::lattice {

template <class T>
void cshift(Queue& queue, const ShiftCall<T>& call);
template <class T>
void fill_random(Queue& queue, const RandomCall<T>& call);

/// z(site) = x(site `by` further along dimension d), around the lattice, as a periodic one. Throws
/// UsageError when z is x, on another lattice, or there is no such dimension.
template <class Site>
void cshift(Queue& queue, Field<Site>& z, const Field<Site>& x, int d, int by) {
  check_same_lattice(z.lattice(), z.name(), x.lattice(), x.name());
  check_dimension(x.lattice(), d, "cshift");
  cshift<RealOf<Site>>(queue, {x.shape(), x.geometry(), x.reals(), z.reals(), d, by});
}

/// Fills with random numbers that do not depend on device, layout or schedule: uniform in [-1, 1),
/// multiples of 2^-23; or of mean 0 and variance 1, the sum of twelve uniform numbers in
/// [-1/2, 1/2), nearly normal and exact everywhere.
template <class Site>
void fill_random(Queue& queue, Field<Site>& z, std::uint64_t seed,
                 Distribution distribution = Distribution::uniform) {
  fill_random<RealOf<Site>>(queue, {z.shape(), z.geometry(), z.reals(), seed, distribution});
}

} // namespace ridge::lattice
