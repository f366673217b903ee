// Conjugate gradients of the staggered operator, on stored fields.
#include <ridge/gauge/staggered.hpp>
#include <ridge/gauge/staggered_solver.hpp>
#include <ridge/solve/cg.hpp>

#include "even_odd.hpp"
#include "to_tolerance.hpp"

#include <cmath>

namespace ridge::gauge {

struct StaggeredSolver::State {
  using In = Span<const double>;

  State(comm::Communicator& ranks, const Extents& grid, Queue& q, const Extents& e,
        const HostLinks& host, double m, const Boundary& around)
      : placed(ranks, grid, q, e, around), mass(m),
        links(
            placed, host, 1,
            [](const int (&x)[4], int mu) { return static_cast<double>(staggered_phase(x, mu)); }),
        fields(placed, links.grids, "colour vector", {"x", "b", "a field", "the right-hand side"}) {
    solver = std::make_unique<solve::Cg>(
        q,
        [this](Span<double> out, In in) { // m^2 - H_eo H_oe / 4
          std::vector<Program> all;
          all.push_back(placed.program(call(1, span(t_, 1), 1, in, 0, {})));
          all.push_back(placed.program(call(0, out, -0.25, span(t_, 1), mass * mass, in)));
          return all;
        },
        span(x_, 0).size, &ranks);
  }

  enum Which { x_, b_, t_, right_ };
  [[nodiscard]] Span<double> span(Which which, int parity) const {
    return fields.span(which, parity);
  }

  /// out = diagonal source + hop H psi on the sites of a parity.
  [[nodiscard]] lattice::StoredCall<Staggered<double>>
  call(int parity, Span<double> out, double hop, In psi, double diagonal, In source) const {
    Staggered<double> kernel;
    links.set(kernel, parity);
    const int lanes = fields.lanes();
    kernel.psi = {psi, lanes};
    kernel.out = {out, lanes};
    if (source.data != nullptr) kernel.source = {source, lanes};
    kernel.hop = hop;
    kernel.diagonal = diagonal;
    return {kernel, links.grids[static_cast<std::size_t>(parity)]};
  }
  void run(const lattice::StoredCall<Staggered<double>>& what) const {
    placed.run(placed.program(what));
  }

  /// |b - D x| / |b|.
  [[nodiscard]] double rest(const Sites& b, bool reproducible) {
    for (const int parity : {0, 1})
      run(call(parity, span(t_, parity), 0.5, span(x_, 1 - parity), mass, span(x_, parity)));
    Sites apart = fields.get(t_);
    for (std::size_t i = 0; i < b.size(); ++i)
      apart[i] = b[i] - apart[i];
    const double size = detail::host_norm2(b);
    return std::sqrt(placed.norm2(apart, reproducible) / (size > 0 ? size : 1));
  }

  detail::StoredPlaced placed;
  double mass;
  detail::EvenOddLinks<double> links;
  detail::EvenOddFields<lattice::ColourVector<double>> fields;
  std::unique_ptr<solve::Cg> solver;
};

StaggeredSolver::StaggeredSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                                 double mass, const Boundary& boundary)
    : StaggeredSolver(one_rank(), Extents{1, 1, 1, 1}, queue, extents, links, mass, boundary) {}
StaggeredSolver::StaggeredSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                                 const Extents& extents, const HostLinks& links, double mass,
                                 const Boundary& boundary) {
  if (mass == 0 || !std::isfinite(mass))
    throw UsageError("the mass of staggered fermions is a number other than 0");
  detail::require_real(boundary, "staggered fermions");
  state_ = std::make_unique<State>(ranks, grid, queue, extents, links, mass, boundary);
}
StaggeredSolver::~StaggeredSolver() = default;

solve::Solved StaggeredSolver::solve(Sites& x, const Sites& b, const solve::Options& options) {
  State& s = *state_;
  s.fields.put(State::x_, x);
  s.fields.put(State::b_, b);
  s.run(s.call(0, s.span(State::right_, 0), -0.5, s.span(State::b_, 1), s.mass,
               s.span(State::b_, 0)));
  const solve::Solved solved = detail::to_tolerance(
      options,
      [&](const solve::Options& inner) {
        const solve::Solved part =
            s.solver->solve(s.span(State::x_, 0), s.span(State::right_, 0), inner);
        s.run(s.call(1, s.span(State::x_, 1), -0.5 / s.mass, s.span(State::x_, 0), 1 / s.mass,
                     s.span(State::b_, 1)));
        return part;
      },
      [&] { return s.rest(b, options.reproducible); });
  x = s.fields.get(State::x_);
  s.placed.gather(x);
  return s.placed.of_all(solved);
}

double StaggeredSolver::residual(const Sites& x, const Sites& b) {
  state_->fields.put(State::x_, x);
  return state_->rest(b, false);
}

} // namespace ridge::gauge
