// Random elements of SU(3), on the host.
#pragma once

#include <ridge/lattice/random.hpp>

#include "gauge.hpp"

#include <cmath>

namespace gauge {

/// Makes the rows of a matrix orthonormal and its determinant 1.
inline void make_special_unitary(ridge::lattice::ColourMatrix<double>& m) {
  using ridge::lattice::Complex;
  using C = Complex<double>;
  for (int row = 0; row < 2; ++row) {
    for (int before = 0; before < row; ++before) {
      C overlap = 0.0;
      for (int j = 0; j < 3; ++j)
        overlap = overlap + conj(m(before, j)) * m(row, j);
      for (int j = 0; j < 3; ++j)
        m(row, j) = m(row, j) - overlap * m(before, j);
    }
    double norm = 0;
    for (int j = 0; j < 3; ++j)
      norm += m(row, j).re * m(row, j).re + m(row, j).im * m(row, j).im;
    for (int j = 0; j < 3; ++j)
      m(row, j) = (1 / std::sqrt(norm)) * m(row, j);
  }
  for (int j = 0; j < 3; ++j) { // the last row is the conjugate of the cross product of the others
    const int k = (j + 1) % 3;
    const int l = (j + 2) % 3;
    m(2, j) = conj(m(0, k) * m(1, l) - m(0, l) * m(1, k));
  }
}

/// A field of random elements of SU(3), the same on every device.
inline Link random_links(ridge::Queue& queue, const ridge::lattice::Lattice& lattice,
                         std::uint64_t seed) {
  Link links(queue.device(), lattice, "links " + std::to_string(seed));
  ridge::lattice::fill_random(queue, links, seed, ridge::lattice::Distribution::normal);
  auto sites = links.get(queue);
  for (auto& site : sites)
    make_special_unitary(site);
  links.set(queue, sites);
  return links;
}

/// Links of the free field: the unit matrix everywhere.
inline Link unit_links(ridge::Queue& queue, const ridge::lattice::Lattice& lattice) {
  Link links(queue.device(), lattice, "unit links");
  std::vector<ridge::lattice::ColourMatrix<double>> sites(
      static_cast<std::size_t>(lattice.sites()));
  for (auto& site : sites) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        site(i, j) = i == j ? 1.0 : 0.0;
    }
  }
  links.set(queue, sites);
  return links;
}

} // namespace gauge
