// Conjugate gradients of the staggered operator, on stored fields.
#include <ridge/gauge/staggered.hpp>
#include <ridge/gauge/staggered_solver.hpp>
#include <ridge/solve/cg.hpp>

#include "even_odd.hpp"
#include "in_unit.hpp"
#include "to_tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::gauge {

struct StaggeredSolver::State {
  using In = Span<const double>;
  enum Which { x_, b_, t_, right_ };

  State(comm::Communicator& ranks, const Extents& grid, Queue& q, const Extents& e,
        const HostLinks& host, double m, const Boundary& around)
      : placed(ranks, grid, q, e, around), mass(m),
        links(
            placed, host, 1,
            [](const int (&x)[4], int mu) { return static_cast<double>(staggered_phase(x, mu)); }),
        fields(placed, links.grids, "colour vector", {"x", "b", "a field", "the right-hand side"}) {
    solver = std::make_unique<solve::Cg>(
        q, [this](Span<double> out, In in) { return squared(0, out, in, 0); }, span(x_, 0).size,
        &ranks);
  }

  /// out = (D^+ D + shift) in on the sites of a parity: m^2 + shift - H_eo H_oe / 4.
  [[nodiscard]] std::vector<Program> squared(int parity, Span<double> out, In in,
                                             double shift) const {
    std::vector<Program> all;
    const Span<double> between = span(t_, 1 - parity);
    all.push_back(placed.program(call(1 - parity, between, 1, in, 0, {})));
    all.push_back(placed.program(call(parity, out, -0.25, between, mass * mass + shift, in)));
    return all;
  }
  [[nodiscard]] solve::Operator<double> squared_of(int parity, double shift) const {
    return
        [this, parity, shift](Span<double> out, In in) { return squared(parity, out, in, shift); };
  }
  /// to = D^+ from, at all sites.
  void adjoint(Which to, Which from) const {
    for (const int parity : {0, 1})
      run(call(parity, span(to, parity), -0.5, span(from, 1 - parity), mass, span(from, parity)));
  }
  /// |D^+ b - (D^+ D + shift) x| with D^+ b in `right`, through t.
  [[nodiscard]] double shifted_rest(const Sites& right, double shift) {
    double all = 0;
    for (const int parity : {0, 1}) {
      for (const Program& program : squared(parity, span(t_, parity), span(x_, parity), shift))
        program.run();
      Sites apart = fields.get(t_);
      for (std::size_t i = 0; i < apart.size(); ++i)
        apart[i] = parity_of(i) == parity ? right[i] - apart[i] : 0.0 * right[i];
      all += detail::host_norm2(apart);
    }
    return std::sqrt(all);
  }
  /// Of the site of a number, x fastest.
  [[nodiscard]] int parity_of(std::size_t number) const {
    auto rest = static_cast<Index>(number);
    Index sum = 0;
    for (int d = 0; d < 4; ++d) {
      sum += rest % placed.part.whole()[d];
      rest /= placed.part.whole()[d];
    }
    return static_cast<int>(sum % 2);
  }

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
  if (const double unit = detail::unit_of(s.placed.ranks, b); unit != 1)
    return detail::in_unit(unit, x, b,
                           [&](Sites& y, const Sites& c) { return solve(y, c, options); });
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

std::vector<solve::Solved> StaggeredSolver::solve_shifted(std::vector<Sites>& x, const Sites& b,
                                                          const std::vector<double>& shifts,
                                                          const solve::Options& options) {
  State& s = *state_;
  if (!s.placed.alone()) throw UsageError("several shifts of staggered fermions run on one rank");
  if (const double unit = detail::unit_of(s.placed.ranks, b); unit != 1) {
    auto solved = solve_shifted(x, detail::scaled(b, unit), shifts, options);
    for (Sites& one : x)
      one = detail::scaled(std::move(one), 1 / unit);
    return solved;
  }
  s.fields.put(State::b_, b);
  s.adjoint(State::x_, State::b_);
  const Sites right = s.fields.get(State::x_);
  const double size = std::sqrt(detail::host_norm2(right));

  // z of each shift: 0 on the sites of a parity that b has not.
  std::vector<detail::EvenOddFields<lattice::ColourVector<double>>> z;
  for (std::size_t i = 0; i < shifts.size(); ++i)
    z.emplace_back(s.placed, s.links.grids, "colour vector",
                   std::initializer_list<const char*>{"a shift's solution"});
  std::array<bool, 2> there{};
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (detail::host_norm2(Sites{b[i]}) != 0)
      there[static_cast<std::size_t>(s.parity_of(i))] = true;
  }
  std::vector<solve::Solved> all(shifts.size());
  const auto add = [&](std::size_t i, const solve::Solved& part) {
    solve::Solved& one = all[i];
    one.iterations = std::max(one.iterations, part.iterations);
    one.stopped = one.stopped || part.stopped;
    one.broken = one.broken || part.broken;
    all.front().bytes += part.bytes;
    all.front().flops += part.flops;
    all.front().seconds.value += part.seconds.value;
  };
  for (const int parity : {0, 1}) {
    if (!there[static_cast<std::size_t>(parity)]) continue;
    std::vector<Span<double>> spans;
    for (const auto& fields : z)
      spans.push_back(fields.span(0, parity));
    solve::ShiftedCg solver(s.placed.queue, s.squared_of(parity, 0), spans.front().size, shifts,
                            nullptr,
                            [&s, parity](double shift) { return s.squared_of(parity, shift); });
    const auto found = solver.solve(spans, s.span(State::b_, parity), options);
    for (std::size_t i = 0; i < found.size(); ++i)
      add(i, found[i]);
  }
  x.resize(shifts.size());
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const auto copy = [&] {
      for (const int parity : {0, 1}) {
        copy_bytes_on_device(s.placed.queue, s.span(State::right_, parity).data,
                             z[i].span(0, parity).data,
                             Bytes{s.span(State::right_, parity).size * Index{sizeof(double)}});
      }
      s.adjoint(State::x_, State::right_); // x = D^+ z
    };
    copy();
    // |D^+ (b - (D^+ D + s) z)| is seen, not |b - (D^+ D + s) z|.
    solve::Options now = options;
    for (int attempt = 0; attempt < 50; ++attempt) {
      all[i].residual = s.shifted_rest(right, shifts[i]) / (size > 0 ? size : 1);
      all[i].converged = all[i].residual <= options.tolerance;
      now.most_iterations = options.most_iterations - all[i].iterations;
      if (all[i].converged || all[i].stopped || all[i].broken || now.most_iterations <= 0) break;
      now.tolerance *= std::clamp(0.7 * options.tolerance / all[i].residual, 1e-3, 0.7);
      for (const int parity : {0, 1}) {
        if (!there[static_cast<std::size_t>(parity)]) continue;
        solve::Cg alone(s.placed.queue, s.squared_of(parity, shifts[i]), z[i].span(0, parity).size);
        solve::Solved more = alone.solve(z[i].span(0, parity), s.span(State::b_, parity), now);
        more.iterations += all[i].iterations;
        add(i, more);
      }
      copy();
    }
    x[i] = s.fields.get(State::x_);
  }
  return all;
}

double StaggeredSolver::residual(const Sites& x, const Sites& b) {
  if (const double unit = detail::unit_of(state_->placed.ranks, b); unit != 1)
    return residual(detail::scaled(x, unit), detail::scaled(b, unit));
  state_->fields.put(State::x_, x);
  return state_->rest(b, false);
}

void StaggeredSolver::apply(Sites& out, const Sites& x, bool dagger) {
  State& s = *state_;
  s.fields.put(State::x_, x);
  for (const int parity : {0, 1})
    s.run(s.call(parity, s.span(State::t_, parity), dagger ? -0.5 : 0.5,
                 s.span(State::x_, 1 - parity), s.mass, s.span(State::x_, parity)));
  out = s.fields.get(State::t_);
  s.placed.gather(out);
}

} // namespace ridge::gauge
