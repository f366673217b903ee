// What the tests of this room share.
#pragma once

#include <ridge/core/random.hpp>
#include <ridge/lattice/field.hpp>

#include "devices.hpp"

#include <string>
#include <vector>

namespace ridge::lattice::test {

using ridge::test::DeviceName;
using ridge::test::devices_here;

/// Random sites, all numbers in [-1, 1), exact in float.
template <class Site>
std::vector<Site> random_sites(const Lattice& lattice, std::uint64_t seed) {
  std::vector<Site> sites(static_cast<std::size_t>(lattice.sites()));
  auto* const reals = reinterpret_cast<RealOf<Site>*>(sites.data());
  for (Index i = 0; i < lattice.sites() * reals_of<Site>; ++i)
    reals[i] = static_cast<RealOf<Site>>(random_value(seed, i));
  return sites;
}

template <class Site>
Field<Site> random_field(Queue& queue, const Lattice& lattice, std::uint64_t seed) {
  Field<Site> field(queue.device(), lattice, "field " + std::to_string(seed));
  field.set(queue, random_sites<Site>(lattice, seed));
  return field;
}

/// The reals of a tensor.
template <class S>
std::vector<double> reals(const S& site) {
  const auto* const first = reinterpret_cast<const RealOf<S>*>(&site);
  return {first, first + reals_of<S>};
}

/// The coordinate along d of site `i` in plain order.
inline Index coordinate(const Lattice& lattice, Index i, int d) {
  for (int k = 0; k < d; ++k)
    i /= lattice.extents()[k];
  return i % lattice.extents()[d];
}

} // namespace ridge::lattice::test
