// D x = b for the Wilson operator: conjugate gradients on D^+ D, in double or mixed precision, or
// BiCGStab on D. Where all extents are even, what is solved is D's Schur complement on even sites
// (ridge/gauge/one_parity.hpp), in half as many iterations.
//
//   gauge::WilsonSolver solver(queue, links, gauge::by_kappa(0.13));
//   const solve::Solved solved = solver.solve(x, b, {.tolerance = 1e-10});
#pragma once

#include <ridge/gauge/host_links.hpp>
#include <ridge/gauge/operators.hpp>
#include <ridge/solve/bicgstab.hpp>
#include <ridge/solve/cg.hpp>

#include <memory>

namespace ridge::gauge {

class WilsonSolver {
public:
  /// Conjugate gradients, their iterations in single or in double precision; BiCGStab in double.
  enum class Method { mixed_cg, cg, bicgstab };

  /// Takes copies of the links, in single precision too where it is mixed. `boundary` is that of
  /// fermions.
  WilsonSolver(Queue& queue, const Extents& extents, const HostLinks& links,
               const WilsonNumbers& numbers, const Boundary& boundary = antiperiodic_in_time,
               Method method = Method::mixed_cg);
  /// Over ranks, each with a part of the lattice as `grid` says: `links` are those of the whole
  /// one, fermions are fields on `part().held()`, whose other sites than this rank's are 0 in what
  /// is given. What operators read of other ranks is exchanged while they compute the sites that
  /// need none of it. By conjugate gradients; collective, as all calls are then.
  WilsonSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue, const Extents& extents,
               const HostLinks& links, const WilsonNumbers& numbers,
               const Boundary& boundary = antiperiodic_in_time, Method method = Method::mixed_cg);
  ~WilsonSolver();

  /// The lattice of its fermions.
  [[nodiscard]] const lattice::Lattice& lattice() const;
  [[nodiscard]] const lattice::RankLattice& part() const;
  [[nodiscard]] const Links<double>& links() const;
  /// out = D x, or D^+ x.
  void apply(const Fermion<double>& out, const Fermion<double>& x, bool dagger = false);
  /// x = D^-1 b, from what x holds; the residual is |b - D x| / |b|, computed anew.
  solve::Solved solve(const Fermion<double>& x, const Fermion<double>& b,
                      const solve::Options& options);
  /// x[i] = (D^+ D + shifts[i])^-1 D^+ b for shifts of at least 0, from 0, in the iterations of one
  /// solve on the whole lattice, in fp64. Residuals are those of D^+ b.
  std::vector<solve::Solved> solve_shifted(const std::vector<const Fermion<double>*>& x,
                                           const Fermion<double>& b,
                                           const std::vector<double>& shifts,
                                           const solve::Options& options);
  /// |b - D x| / |b|.
  [[nodiscard]] double residual(const Fermion<double>& x, const Fermion<double>& b);

private:
  [[nodiscard]] double residual(const Fermion<double>& x, const Fermion<double>& b,
                                bool reproducible);
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::gauge
