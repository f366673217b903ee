// Conjugate gradients of the staggered operator, on stored fields.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/staggered.hpp>
#include <ridge/gauge/staggered_solver.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/solve/cg.hpp>

#include "to_tolerance.hpp"

#include <array>
#include <cmath>

namespace ridge::gauge {

struct StaggeredSolver::State {
  using Grid = lattice::SiteGrid;
  using Field = lattice::StoredField<lattice::ColourVector<double>, double>;
  using In = Span<const double>;

  State(Queue& q, const Extents& e, const HostLinks& host, double m, const Boundary& around)
      : queue(q), extents(e), mass(m),
        boundary(around), grids{site_grid(q.device(), e, lattice::Sites::even, 8),
                                site_grid(q.device(), e, lattice::Sites::odd, 8)},
        links(q, {grids[0], grids[1]}, [&](const int (&x)[4], int mu) {
          return static_cast<double>(staggered_phase(x, mu)) *
                 host[4 * site(x) + static_cast<std::size_t>(mu)];
        }) {
    for (const char* const name : {"x", "b", "a field", "the right-hand side"}) {
      for (const Grid& grid : grids) {
        fields.emplace_back(q.device(), grid, name);
        fill_bytes(q, fields.back().view().elements.data, 0, fields.back().bytes());
      }
    }
    solver = std::make_unique<solve::Cg>(
        q,
        [this](Span<double> out, In in) { // m^2 - H_eo H_oe / 4
          std::vector<Program> all;
          all.emplace_back(queue, call(1, span(t_, 1), 1, in, 0, {}));
          all.emplace_back(queue, call(0, out, -0.25, span(t_, 1), mass * mass, in));
          return all;
        },
        span(x_, 0).size);
  }

  enum Which { x_, b_, t_, right_ };
  [[nodiscard]] Field& field(Which which, int parity) {
    return fields[static_cast<std::size_t>(2 * which + parity)];
  }
  [[nodiscard]] Span<double> span(Which which, int parity) const {
    return fields[static_cast<std::size_t>(2 * which + parity)].view().elements;
  }
  [[nodiscard]] std::size_t site(const int (&x)[4]) const {
    Index i = 0;
    for (int d = 3; d >= 0; --d)
      i = i * extents[d] + x[d];
    return static_cast<std::size_t>(i);
  }

  /// out = diagonal source + hop H psi on the sites of a parity.
  [[nodiscard]] lattice::StoredCall<Staggered<double>>
  call(int parity, Span<double> out, double hop, In psi, double diagonal, In source) const {
    Staggered<double> kernel;
    const auto here = static_cast<std::size_t>(parity);
    for (int mu = 0; mu < dimensions; ++mu) {
      kernel.links[0][mu] = links.of(grids[here], mu).view();
      kernel.links[1][mu] = links.of(grids[1 - here], mu).view();
      kernel.boundary[mu] = boundary[static_cast<std::size_t>(mu)].re;
    }
    const int lanes = fields.front().view().lanes;
    kernel.psi = {psi, lanes};
    kernel.out = {out, lanes};
    if (source.data != nullptr) kernel.source = {source, lanes};
    kernel.hop = hop;
    kernel.diagonal = diagonal;
    return {kernel, grids[here]};
  }
  void run(const lattice::StoredCall<Staggered<double>>& what) { Program(queue, what).run(); }

  void put(Which to, const Sites& from) {
    if (static_cast<Index>(from.size()) != extents.count())
      throw UsageError("a source of one colour vector a site is needed");
    for (const int parity : {0, 1})
      field(to, parity).fill(queue, [&](const int(&x)[4], int) { return from[site(x)]; });
  }
  [[nodiscard]] Sites get(Which from) {
    Sites to(static_cast<std::size_t>(extents.count()));
    for (const int parity : {0, 1}) {
      field(from, parity)
          .visit(queue, [&](const int(&x)[4], int, const lattice::ColourVector<double>& v) {
            to[site(x)] = v;
          });
    }
    return to;
  }
  /// |b - D x| / |b|.
  [[nodiscard]] double rest(const Sites& b) {
    for (const int parity : {0, 1})
      run(call(parity, span(t_, parity), 0.5, span(x_, 1 - parity), mass, span(x_, parity)));
    const Sites image = get(t_);
    double size = 0, all = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (int c = 0; c < colours; ++c) {
        const auto d = b[i](c) - image[i](c);
        size += b[i](c).re * b[i](c).re + b[i](c).im * b[i](c).im;
        all += d.re * d.re + d.im * d.im;
      }
    }
    return std::sqrt(all / (size > 0 ? size : 1));
  }

  Queue& queue;
  Extents extents;
  double mass;
  Boundary boundary;
  std::array<Grid, 2> grids;
  StoredLinks<double, 18> links;
  std::vector<Field> fields;
  std::unique_ptr<solve::Cg> solver;
};

StaggeredSolver::StaggeredSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                                 double mass, const Boundary& boundary) {
  if (mass == 0 || !std::isfinite(mass))
    throw UsageError("the mass of staggered fermions is a number other than 0");
  for (const auto& factor : boundary)
    if (factor.im != 0) throw UsageError("boundary factors of staggered fermions are real");
  state_ = std::make_unique<State>(queue, extents, links, mass, boundary);
}
StaggeredSolver::~StaggeredSolver() = default;

solve::Solved StaggeredSolver::solve(Sites& x, const Sites& b, const solve::Options& options) {
  State& s = *state_;
  s.put(State::x_, x);
  s.put(State::b_, b);
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
      [&] { return s.rest(b); });
  x = s.get(State::x_);
  return solved;
}

double StaggeredSolver::residual(const Sites& x, const Sites& b) {
  state_->put(State::x_, x);
  return state_->rest(b);
}

} // namespace ridge::gauge
