// D x = b for the Wilson operator with the clover term: conjugate gradients in double precision on
// the normal equations of D's Schur complement on even sites, A_ee - h^2 H_eo A_oo^-1 H_oe. A is
// the diagonal and the clover term, h the hop of WilsonNumbers.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/solve/solver.hpp>

#include <memory>
#include <vector>

namespace ridge::gauge {

class CloverSolver {
public:
  using Sites = std::vector<lattice::Spinor<double>>; ///< a spinor a site, x fastest

  /// Keeps copies of the links and the term on the device. `boundary`: of fermions, real numbers.
  /// Throws UsageError for odd extents, Failure where the term is singular at a site.
  CloverSolver(Queue& queue, const Extents& extents, const HostLinks& links,
               const WilsonNumbers& numbers, double csw,
               const Boundary& boundary = antiperiodic_in_time);
  /// Over ranks, each with a part of the lattice as `grid` says: links, sources and starts are
  /// those of the whole one on all ranks, and what is found comes to rank 0. Collective, as all
  /// calls are then.
  CloverSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue, const Extents& extents,
               const HostLinks& links, const WilsonNumbers& numbers, double csw,
               const Boundary& boundary = antiperiodic_in_time);
  ~CloverSolver();

  /// x = D^-1 b, from what x holds; the residual is |b - D x| / |b|, computed anew.
  solve::Solved solve(Sites& x, const Sites& b, const solve::Options& options);
  /// |b - D x| / |b|.
  [[nodiscard]] double residual(const Sites& x, const Sites& b);
  /// out = D x, or D^+ x.
  void apply(Sites& out, const Sites& x, bool dagger = false);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::gauge
