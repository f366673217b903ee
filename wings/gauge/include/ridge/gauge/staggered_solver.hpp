// D x = b for staggered fermions, D = m + H / 2 (ridge/gauge/staggered.hpp): conjugate gradients in
// double precision on even sites,
//
//   (m^2 - H_eo H_oe / 4) x_e = m b_e - H_eo b_o / 2,   x_o = (b_o - H_oe x_e / 2) / m
//
// With shifts: D^+ D = m^2 - H^2 / 4 leaves the parities apart, so that (D^+ D + s) z = b is solved
// on the sites of the parities that b has, for all s in one solve; x = D^+ z.
//
//   gauge::StaggeredSolver solver(queue, extents, links, 0.05);
//   const solve::Solved solved = solver.solve(x, b, {.tolerance = 1e-10});
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/solve/solver.hpp>

#include <memory>
#include <vector>

namespace ridge::gauge {

class StaggeredSolver {
public:
  /// A colour vector a site, x fastest.
  using Sites = std::vector<lattice::ColourVector<double>>;

  /// Takes copies of the links, which have no phases yet. Factors of the boundary are real. Throws
  /// UsageError for an odd extent and for a mass of 0.
  StaggeredSolver(Queue& queue, const Extents& extents, const HostLinks& links, double mass,
                  const Boundary& boundary = antiperiodic_in_time);
  /// Over ranks, each with a part of the lattice as `grid` says: links, sources and starts are
  /// those of the whole one on all ranks, and what is found comes to rank 0. Collective, as all
  /// calls are then.
  StaggeredSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                  const Extents& extents, const HostLinks& links, double mass,
                  const Boundary& boundary = antiperiodic_in_time);
  ~StaggeredSolver();

  /// x = D^-1 b, from what x holds; the residual is |b - D x| / |b|, computed anew.
  solve::Solved solve(Sites& x, const Sites& b, const solve::Options& options);
  /// x[i] = (D^+ D + shifts[i])^-1 D^+ b for shifts of at least 0, in the iterations of one solve a
  /// parity of b, on one rank. Residuals are those of D^+ b, computed anew. The first of what is
  /// returned has seconds, bytes and operations of all.
  std::vector<solve::Solved> solve_shifted(std::vector<Sites>& x, const Sites& b,
                                           const std::vector<double>& shifts,
                                           const solve::Options& options);
  /// |b - D x| / |b|.
  [[nodiscard]] double residual(const Sites& x, const Sites& b);
  /// out = D x, or D^+ x.
  void apply(Sites& out, const Sites& x, bool dagger = false);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::gauge
