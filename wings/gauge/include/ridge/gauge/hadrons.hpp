// Correlators of hadrons at zero momentum from a propagator S(x) of two quarks of one mass, on the
// host. Gamma matrices are those of ridge/gauge/gamma.hpp; gamma_4 is that of time, C = gamma_4
// gamma_2 there (of x, y, z, t numbered 1 to 4).
//
//   mesons    C(t) = sum over x of <O(x) P(0)^+>, O = psibar G psi, P = psibar H psi (connected):
//             - tr G S gamma_4 H^+ gamma_4 gamma_5 S^+ gamma_5
//   nucleons  C(t) = sum over x of tr (1 +- gamma_4) / 2 <N(x) Nbar(0)>, N = eps_abc (u_a^T C
//   gamma_5 d_b) u_c
//
// The table of names: pseudoscalar (gamma_5), vector (gamma_i, the mean of three), scalar (1),
// axial (gamma_4 gamma_5), axial_vector (gamma_i gamma_5, mean), tensor (gamma_i gamma_4, mean),
// and axial_pseudoscalar: G = gamma_4 gamma_5, H = gamma_5, of the quark mass of the axial Ward
// identity. nucleon and nucleon_negative have 1 + gamma_4 and 1 - gamma_4: from the source forwards
// the nucleon and its partner of negative parity, from the end backwards the partner and the
// nucleon.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/gauge/gamma.hpp>

#include <array>
#include <string>
#include <vector>

namespace ridge::gauge {

struct Correlator {
  std::string name;
  std::vector<double> values; ///< real parts, one a time from the source on
};

/// A propagator's columns, source spin (slow) and colour; each a spinor a site, x fastest.
using PropagatorColumns = std::array<const Spinor<double>*, 12>;

/// All of the table. `source_time`: of the propagator's source. Baryons whose quarks go through an
/// antiperiodic boundary in time have the sign turned back, so that they are as from a source at 0.
[[nodiscard]] std::vector<Correlator> hadron_correlators(const Extents& extents,
                                                         const PropagatorColumns& columns,
                                                         Index source_time, bool antiperiodic);

} // namespace ridge::gauge
