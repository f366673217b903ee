// Fields of random elements of SU(3).
#pragma once

#include <ridge/gauge/links.hpp>
#include <ridge/lattice/random.hpp>

#include "gauge.hpp"

namespace gauge {

/// A field of random elements of SU(3), the same on every device.
inline Link random_links(ridge::Queue& queue, const ridge::lattice::Lattice& lattice,
                         std::uint64_t seed) {
  return ridge::gauge::random_link_field(queue, lattice, seed);
}

} // namespace gauge
