// The plain Wilson operator on the host: whole gamma matrices, double precision, site after site.
#pragma once

#include <ridge/lattice/geometry.hpp>

#include <array>
#include <complex>
#include <cstddef>

namespace ridge::gauge {

/// gamma_mu: row a has one element, `value[a]` in column `column[a]`.
struct Gamma {
  std::array<int, 4> column;
  std::array<std::complex<double>, 4> value;
};
[[nodiscard]] const std::array<Gamma, 4>& gammas();

using HostLink = std::array<std::complex<double>, 9>;    ///< by rows
using HostSpinor = std::array<std::complex<double>, 12>; ///< spin * 3 + colour

/// A spinor, and the magnitudes of the terms that each of its components adds up.
struct Expected {
  HostSpinor value{};
  std::array<double, 12> scale{};
};

/// |re| + |im|.
[[nodiscard]] inline double size_of(const std::complex<double>& z) {
  return std::abs(z.real()) + std::abs(z.imag());
}

/// sum += (1 - s gamma_mu) u v, where u is the link, or its adjoint.
void add_reference_hop(Expected& sum, int mu, double s, const HostLink& link, bool adjoint,
                       const HostSpinor& psi);

/// (H psi)(x), or (H^+ psi)(x), on a lattice of these extents. `link(mu, x)` and `psi(x)` give
/// what lies at coordinates x.
template <class Link, class Psi>
[[nodiscard]] Expected reference_hopping(const std::array<int, 4>& extents,
                                         const lattice::Coordinates& x, bool dagger,
                                         const Link& link, const Psi& psi) {
  Expected sum;
  const double s = dagger ? -1 : 1;
  for (int mu = 0; mu < 4; ++mu) {
    const int n = extents[static_cast<std::size_t>(mu)];
    lattice::Coordinates ahead = x;
    ahead[mu] = (x[mu] + 1) % n;
    lattice::Coordinates behind = x;
    behind[mu] = (x[mu] + n - 1) % n;
    add_reference_hop(sum, mu, s, link(mu, x), false, psi(ahead));
    add_reference_hop(sum, mu, -s, link(mu, behind), true, psi(behind));
  }
  return sum;
}

} // namespace ridge::gauge
