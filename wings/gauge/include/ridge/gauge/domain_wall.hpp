// Domain-wall fermions, Shamir's and Moebius, and D x = b for them.
//
//   D psi_s = (b D_W + 1) psi_s + (c D_W - 1) (P_- psi_(s + 1) + P_+ psi_(s - 1)),
//
// times -mass across the walls; D_W is Wilson's operator of mass -M5 (ridge/gauge/wilson.hpp).
// Shamir: b = 1, c = 0. With L the hop in the fifth dimension, B = b + c L and H Wilson's hopping
// term, D = M - H B / 2, M = (4 - M5) B + 1 - L. What is solved, with K = B M^-1 and y = B x, is
//
//   (1 - K H_eo K H_oe / 4) y_e = K (b_e + H_eo K b_o / 2)       on even sites
//   y_o = K (b_o + H_oe y_e / 2)                                 on odd ones
//
// by conjugate gradients on the normal equations, in double precision or in single precision within
// it. The propagator of four dimensions is q = P_- x_0 + P_+ x_(Ls - 1) for a source D_- (P_+ b at
// s = 0, P_- b at Ls - 1), D_- = 1 - c D_W (Brower, Neff, Orginos 2012; as Grid has them).
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/solve/solver.hpp>

#include <memory>
#include <vector>

namespace ridge::gauge {

struct DomainWallNumbers {
  double mass = 0.1; ///< of the quark
  double m5 = 1.8;   ///< the wall's height
  int values = 16;   ///< of the fifth dimension, Ls
  double b = 1, c = 0;
};

class DomainWallSolver {
public:
  /// Conjugate gradients whose iterations are in single precision, the residual anew in double; or
  /// all in double.
  enum class Method { mixed_cg, cg };

  /// A spinor a site, x fastest; of five dimensions s slowest.
  using Sites = std::vector<lattice::Spinor<double>>;

  /// Keeps a copy of the links on the device, in single precision too where it is mixed.
  /// `boundary`: of fermions, real numbers. Throws UsageError for odd extents, for fewer than 2
  /// values of the fifth dimension, and for numbers whose matrices in the fifth dimension are
  /// singular.
  DomainWallSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                   const DomainWallNumbers& numbers,
                   const Boundary& boundary = antiperiodic_in_time,
                   Method method = Method::mixed_cg);
  /// Over ranks, each with a part of the lattice as `grid` says: links and sources are those of the
  /// whole one on all ranks, and what is found comes to rank 0. Collective, as all calls are then.
  DomainWallSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                   const Extents& extents, const HostLinks& links, const DomainWallNumbers& numbers,
                   const Boundary& boundary = antiperiodic_in_time,
                   Method method = Method::mixed_cg);
  ~DomainWallSolver();

  /// D x, or D^+ x, in five dimensions.
  [[nodiscard]] Sites apply(const Sites& x, bool dagger = false);
  /// x = D^-1 b in five dimensions; the residual is |b - D x| / |b|, computed anew.
  solve::Solved solve(Sites& x, const Sites& b, const solve::Options& options);
  /// q of the source b, in four dimensions; the residual is that of five. `midpoint`, where it is
  /// given: P_- x_(Ls / 2) + P_+ x_(Ls / 2 - 1), whose squares over those of q are the residual
  /// mass (Blum and others, hep-lat/0007038).
  solve::Solved propagate(Sites& q, const Sites& b, const solve::Options& options,
                          Sites* midpoint = nullptr);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::gauge
