// D x = b of the Wilson operator for several right-hand sides at once: each link is read once for
// all of them. Conjugate gradients on the normal equations of D's Schur complement on even sites
// (ridge/gauge/one_parity.hpp), in double precision or in single precision within it; each
// right-hand side has its own steps, and rests once it has converged.
//
//   gauge::WilsonColumns solver(queue, extents, links, gauge::by_kappa(0.13), 12);
//   const std::vector<solve::Solved> solved = solver.solve(x, b, {.tolerance = 1e-10});
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/gauge/wilson.hpp>
#include <ridge/solve/solver.hpp>

#include <memory>
#include <vector>

namespace ridge::gauge {

class WilsonColumns {
public:
  /// fixed16_cg: iterations in numbers of 16 bits within double precision; one column, one rank.
  enum class Method { mixed_cg, cg, fixed16_cg };
  using Sites = std::vector<lattice::Spinor<double>>; ///< a spinor a site, x fastest

  /// Keeps copies of the links on the device. `columns`: right-hand sides, 2 to 128,
  /// or 1 of fixed16_cg. `boundary`: of
  /// fermions, real numbers. Throws UsageError for odd extents.
  WilsonColumns(Queue& queue, const Extents& extents, const HostLinks& links,
                const WilsonNumbers& numbers, int columns,
                const Boundary& boundary = antiperiodic_in_time, Method method = Method::mixed_cg);
  /// Over so many ranks along each dimension; `links` and right-hand sides are the whole lattice's
  /// on every rank, and solutions on rank 0. Collective, as all it does.
  WilsonColumns(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                const Extents& extents, const HostLinks& links, const WilsonNumbers& numbers,
                int columns, const Boundary& boundary = antiperiodic_in_time,
                Method method = Method::mixed_cg);
  ~WilsonColumns();

  [[nodiscard]] int columns() const;
  /// x = D^-1 b for as many as there are columns, from what x holds; residuals are |b - D x| / |b|,
  /// computed anew. Seconds, bytes and operations are shared out evenly.
  std::vector<solve::Solved> solve(std::vector<Sites>& x, const std::vector<Sites>& b,
                                   const solve::Options& options);
  /// |b - D x| / |b| of each.
  std::vector<double> residuals(const std::vector<Sites>& x, const std::vector<Sites>& b);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::gauge
