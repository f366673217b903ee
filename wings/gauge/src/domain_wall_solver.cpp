// Domain-wall operators on stored fields, and their conjugate gradients.
#include <ridge/lattice/reduce.hpp>
#include <ridge/solve/cg.hpp>

#include "core/refuse.hpp"
#include "domain_wall_operator.hpp"
#include "in_unit.hpp"
#include "mixed_operator.hpp"
#include "to_tolerance.hpp"

#include <cmath>
#include <memory>

namespace ridge::gauge {

namespace domain_wall {

using Stored = StoredFermion<double>;
using Values = Span<const double>;

inline const DomainWallNumbers& checked(const DomainWallNumbers& n, const Boundary& boundary) {
  refuse_if(n.values < 2, "the fifth dimension of domain walls has at least 2 values, not {}",
            n.values);
  detail::require_real(boundary, "domain walls");
  return n;
}

} // namespace domain_wall

struct DomainWallSolver::State {
  using Exact = domain_wall::Operator<double>;
  using Stored = domain_wall::Stored;
  using Values = domain_wall::Values;
  using Both = detail::Both<double>;
  using Mixed = detail::MixedOperator<domain_wall::Operator>;

  State(comm::Communicator& ranks, const Extents& grid, Queue& q, const Extents& e,
        const HostLinks& host, const DomainWallNumbers& n, const Boundary& around, Method method)
      : queue(q), extents(e), numbers(domain_wall::checked(n, around)),
        placed(ranks, grid, q, e, around), exact(placed, host, n), t(exact.t), u(exact.u),
        b(q, exact.links.grids, "the right-hand side"), y(q, exact.links.grids, "the solution"),
        right(q.device(), exact.links.grids[0], "the right-hand side"), sum(q.device(), 1) {
    for (Both* const both : {&b, &y}) {
      placed.clear(both->even);
      placed.clear(both->odd);
    }
    if (method == Method::mixed_cg) {
      mixed = std::make_unique<Mixed>(q, exact, right.view().elements, placed, host, n);
      mixed_solver = std::make_unique<solve::MixedCg>(q, mixed->exact(), mixed->inner(),
                                                      mixed->count(), 0.01, &ranks);
      return;
    }
    solver = std::make_unique<solve::Cg>(
        q, [this](Span<double> out, Values in) { return exact.normal(out, in); },
        y.even.view().elements.size, &ranks);
  }

  void run(const lattice::StoredCall<Exact::Hop>& call) const { placed.run(placed.program(call)); }
  void run(const lattice::StoredCall<FifthDimension<double>>& call) const {
    placed.at_sites(call).run();
  }
  template <class... Rest>
  [[nodiscard]] auto hop(const Rest&... rest) const {
    return exact.hop(rest...);
  }
  template <class... Rest>
  [[nodiscard]] auto fifth(const Rest&... rest) const {
    return exact.fifth(rest...);
  }

  void put(Both& to, const Sites& from) {
    const std::size_t volume = static_cast<std::size_t>(extents.count());
    for (const int parity : {0, 1}) {
      to[parity].fill(queue, placed.part.placed([&](const int(&x)[4], int s) {
        return from[static_cast<std::size_t>(s) * volume + placed.site(x)];
      }));
    }
  }
  /// What this rank owns; 0 elsewhere.
  [[nodiscard]] Sites get(Both& from) {
    Sites to = get(from.even);
    take(from.odd, to);
    return to;
  }
  [[nodiscard]] Sites get(const Stored& from) {
    Sites to(static_cast<std::size_t>(extents.count() * numbers.values));
    take(from, to);
    return to;
  }
  void take(const Stored& from, Sites& to) {
    const std::size_t volume = static_cast<std::size_t>(extents.count());
    placed.visit(from, [&](const int(&x)[4], int s, const Spinor<double>& v) {
      to[static_cast<std::size_t>(s) * volume + placed.site(x)] = v;
    });
  }
  void require(const Sites& sites, int values) const {
    const Index wanted = extents.count() * values;
    refuse_if(static_cast<Index>(sites.size()) != wanted,
              "a source of {} spinors is needed, not of {}", wanted,
              static_cast<Index>(sites.size()));
  }

  /// right = S^+ K (b_e + H_eo K b_o / 2).
  void precondition() {
    run(fifth(1, u.span(1), Exact::preconditioned, b.span(1)));
    run(hop(0, t.span(0), u.span(1), false, 0.5, 1, b.span(0)));
    run(fifth(0, u.span(0), Exact::preconditioned, t.span(0)));
    std::vector<Program> all;
    exact.adjoint(all, right.view().elements, u.span(0));
    for (const Program& program : all)
      placed.run(program);
  }
  /// y_o of y_e, and |b - D x|^2 with x = B^-1 y, which is left in u.
  [[nodiscard]] double complete(bool reproducible) {
    run(hop(1, t.span(1), y.span(0), false, 0.5, 1, b.span(1)));
    run(fifth(1, y.span(1), Exact::preconditioned, t.span(1)));
    double all = 0;
    for (const int parity : {0, 1})
      run(fifth(parity, u.span(parity), Exact::unblended, y.span(parity)));
    for (const int parity : {0, 1}) { // b - M x + H B x / 2
      Stored blend(queue.device(), exact.links.grids[static_cast<std::size_t>(1 - parity)], "B x");
      Stored rest(queue.device(), exact.links.grids[static_cast<std::size_t>(parity)],
                  "the residual");
      run(fifth(1 - parity, blend.view().elements, Exact::blended, u.span(1 - parity)));
      run(fifth(parity, t.span(parity), Exact::local, u.span(parity)));
      auto last =
          hop(parity, rest.view().elements, blend.view().elements, false, 0.5, 1, b.span(parity));
      last.kernel.other = {t.span(parity), y.even.view().lanes};
      last.kernel.also = -1;
      last.sum = sum.doubles();
      run(last);
      all += reproducible ? placed.reproducible_norm2(get(rest)) : sum.get(queue)[0];
    }
    return placed.alone() || reproducible ? all : placed.ranks.sum(all);
  }

  Queue& queue;
  Extents extents;
  DomainWallNumbers numbers;
  detail::StoredPlaced placed;
  Exact exact;
  Both &t, &u; ///< the operator's
  Both b, y;
  Stored right;
  lattice::DeviceResult<double> sum;
  std::unique_ptr<solve::Cg> solver;
  std::unique_ptr<Mixed> mixed;
  std::unique_ptr<solve::MixedCg> mixed_solver; ///< or this one
};

DomainWallSolver::DomainWallSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                                   const DomainWallNumbers& numbers, const Boundary& boundary,
                                   Method method)
    : DomainWallSolver(one_rank(), Extents{1, 1, 1, 1}, queue, extents, links, numbers, boundary,
                       method) {}
DomainWallSolver::DomainWallSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                                   const Extents& extents, const HostLinks& links,
                                   const DomainWallNumbers& numbers, const Boundary& boundary,
                                   Method method)
    : state_(
          std::make_unique<State>(ranks, grid, queue, extents, links, numbers, boundary, method)) {}
DomainWallSolver::~DomainWallSolver() = default;

DomainWallSolver::Sites DomainWallSolver::apply(const Sites& x, bool dagger) {
  State& s = *state_;
  s.require(x, s.numbers.values);
  s.put(s.u, x);
  for (const int parity : {0, 1}) {
    const int other = 1 - parity;
    if (dagger) { // M^+ x - B^+ H^+ x / 2
      s.run(s.hop(parity, s.t.span(parity), s.u.span(other), true));
      s.run(s.fifth(parity, s.b.span(parity), State::Exact::local_t, s.u.span(parity)));
      s.run(s.fifth(parity, s.y.span(parity), State::Exact::blended_t, s.t.span(parity), -0.5, 1,
                    s.b.span(parity)));
    } else { // M x - H B x / 2
      s.run(s.fifth(other, s.t.span(other), State::Exact::blended, s.u.span(other)));
      s.run(s.fifth(parity, s.b.span(parity), State::Exact::local, s.u.span(parity)));
      s.run(s.hop(parity, s.y.span(parity), s.t.span(other), false, -0.5, 1, s.b.span(parity)));
    }
  }
  Sites y = s.get(s.y);
  s.placed.gather(y);
  return y;
}

solve::Solved DomainWallSolver::solve(Sites& x, const Sites& b, const solve::Options& options) {
  State& s = *state_;
  s.require(b, s.numbers.values);
  if (const double unit = detail::unit_of(s.placed.ranks, b); unit != 1)
    return detail::in_unit(unit, x, b,
                           [&](Sites& y, const Sites& c) { return solve(y, c, options); });
  s.put(s.b, b);
  const double size = s.placed.norm2(b, options.reproducible);
  s.placed.clear(s.y.even);
  if (!s.placed.alone()) { // other ranks' sites, which are summed, too
    s.placed.clear(s.u.even);
    s.placed.clear(s.right);
  }
  s.precondition();
  if (s.mixed) s.mixed->take(s.right.view().elements);
  const auto rest = [&] {
    if (s.mixed) s.mixed->show(s.y.span(0));
    return std::sqrt(s.complete(options.reproducible) / (size > 0 ? size : 1));
  };
  const auto by_mixed = [&](const solve::Options& all, const solve::Measure& measure) {
    return s.mixed->solve(*s.mixed_solver, s.y.span(0), all, measure);
  };
  const auto by_double = [&](const solve::Options& inner) {
    return s.solver->solve(s.y.span(0), s.right.view().elements, inner);
  };
  const solve::Solved solved = s.mixed ? detail::by_measure(options, by_mixed, rest)
                                       : detail::to_tolerance(options, by_double, rest);
  x = s.get(s.u);
  s.placed.gather(x);
  return s.placed.of_all(solved);
}

solve::Solved DomainWallSolver::propagate(Sites& q, const Sites& b, const solve::Options& options,
                                          Sites* midpoint) {
  State& s = *state_;
  s.require(b, 1);
  const std::size_t volume = b.size();
  const auto last = static_cast<std::size_t>(s.numbers.values - 1) * volume;
  Sites source(volume * static_cast<std::size_t>(s.numbers.values)), x;
  constexpr int half = spins * colours / 2;
  for (std::size_t i = 0; i < volume; ++i) {
    for (int c = 0; c < spins * colours; ++c)
      component(source[(c < half ? 0 : last) + i], c) = component(b[i], c);
  }
  if (s.numbers.c != 0) { // D_- = 1 - c (4 - M5) + c H / 2
    s.put(s.u, source);
    for (const int parity : {0, 1}) {
      s.run(s.hop(parity, s.y.span(parity), s.u.span(1 - parity), false, 0.5 * s.numbers.c,
                  1 - s.numbers.c * (4 - s.numbers.m5), s.u.span(parity)));
    }
    source = s.get(s.y);
  }
  const solve::Solved solved = solve(x, source, options);
  const auto joined = [&](Sites& to, std::size_t upper, std::size_t lower) {
    to.assign(volume, {});
    for (std::size_t i = 0; i < volume; ++i) {
      for (int c = 0; c < spins * colours; ++c)
        component(to[i], c) = component(x[(c < half ? upper : lower) + i], c);
    }
  };
  joined(q, last, 0);
  const std::size_t middle = static_cast<std::size_t>(s.numbers.values / 2) * volume;
  if (midpoint != nullptr) joined(*midpoint, middle - volume, middle);
  return solved;
}

} // namespace ridge::gauge
