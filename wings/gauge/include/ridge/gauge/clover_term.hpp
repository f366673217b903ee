// The clover term of Sheikholeslami and Wohlert, of links, on the host:
//
//   csw (i / 4) sum over mu, nu of sigma_mu_nu F_mu_nu = -csw / 2 sum over mu < nu of gamma_mu
//   gamma_nu F_mu_nu
//
// F = (Q - Q^+) / 8, Q the sum of the four leaves around a site in the plane of mu and nu
// (Luescher, Sint, Sommer, Weisz 1996).
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/clover.hpp>

#include <array>
#include <vector>

namespace ridge::gauge {

/// Blocks of both chiralities, a site each, x fastest.
struct CloverTerm {
  std::vector<CloverBlock<double>> upper, lower;
};

/// diagonal + factor times the term, at every site; factor is csw where D = m + 4 - H / 2, and 2
/// kappa csw where D = 1 - kappa H.
[[nodiscard]] CloverTerm clover_term(const Extents& extents, const HostLinks& links,
                                     double diagonal, double factor);
/// Every block inverted. Throws Failure for one that is singular.
[[nodiscard]] CloverTerm inverse(const CloverTerm& term);

/// A block times six numbers, those of two spin components.
[[nodiscard]] std::array<lattice::Complex<double>, 6>
product(const CloverBlock<double>& block, const std::array<lattice::Complex<double>, 6>& x);

} // namespace ridge::gauge
