// Lattice gauge theory from fields, site loops and expressions: the plaquette, the Wilson hopping
// term, and gauge transformations, in double precision on a lattice of four dimensions.
#pragma once

#include <ridge/lattice/field.hpp>
#include <ridge/lattice/site_loop.hpp>

#include <vector>

namespace gauge {

using Link = ridge::lattice::Field<ridge::lattice::ColourMatrix<double>>;
using Fermion = ridge::lattice::Field<ridge::lattice::Spinor<double>>;

inline constexpr int dimensions = 4;

/// What gauge.cpp defines for each device kind.
template <class Target>
struct Gauge {
  /// out = the hopping term of psi: the sum over mu of
  /// (1 - gamma_mu) U_mu(x) psi(x + mu) + (1 + gamma_mu) U_mu(x - mu)^+ psi(x - mu).
  static void hopping(ridge::Queue& queue, Fermion& out, const std::vector<Link>& links,
                      const Fermion& psi,
                      const std::optional<ridge::lattice::Schedule>& schedule = {});
  /// out(x) = the sum over planes mu < nu of tr U_mu(x) U_nu(x + mu) U_mu(x + nu)^+ U_nu(x)^+.
  static void plaquettes(ridge::Queue& queue,
                         ridge::lattice::Field<ridge::lattice::Complex<double>>& out,
                         const std::vector<Link>& links);
  /// U_mu(x) -> g(x) U_mu(x) g(x + mu)^+ for all mu; psi -> g psi.
  static void transform(ridge::Queue& queue, std::vector<Link>& links_out,
                        const std::vector<Link>& links, const Link& g);
  static void transform(ridge::Queue& queue, Fermion& out, const Fermion& psi, const Link& g);
};

} // namespace gauge
