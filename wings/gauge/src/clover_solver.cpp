// Conjugate gradients of the Wilson operator with the clover term, on stored fields.
#include <ridge/gauge/clover.hpp>
#include <ridge/gauge/clover_solver.hpp>
#include <ridge/gauge/clover_term.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/solve/cg.hpp>

#include "even_odd.hpp"
#include "in_unit.hpp"
#include "to_tolerance.hpp"

#include <cmath>

namespace ridge::gauge {

struct CloverSolver::State {
  using Kernel = Clover<double, 18>;
  using Blocks = lattice::StoredField<CloverBlock<double>, double>;
  using In = Span<const double>;

  State(comm::Communicator& ranks, const Extents& grid_of_ranks, Queue& q, const Extents& e,
        const HostLinks& host, const WilsonNumbers& n, double csw, const Boundary& around)
      : queue(q), placed(ranks, grid_of_ranks, q, e, around), numbers(n), links(placed, host),
        sum(q.device(), 1), fields(placed, links.grids, "spinor",
                                   {"x", "b", "a spinor", "a spinor", "the right-hand side"}) {
    detail::require_real(around, "the clover operator");
    const CloverTerm term = clover_term(e, host, n.diagonal, -2 * n.hop * csw);
    const CloverTerm inverted = inverse(term);
    for (const CloverTerm* const t : {&term, &inverted}) {
      for (const lattice::SiteGrid& grid : links.grids) {
        for (const auto* const side : {&t->upper, &t->lower}) {
          blocks.emplace_back(q.device(), grid, "the clover term");
          blocks.back().fill(q, placed.part.placed([&](const int(&x)[4], int) {
            return (*side)[placed.site(x)];
          }));
        }
      }
    }
    solver = std::make_unique<solve::Cg>(
        q, [this](Span<double> out, In in) { return normal(out, in); }, span(x_, 0).size, &ranks);
  }

  enum Which { x_, b_, t_, u_, right_ };
  [[nodiscard]] Span<double> span(Which which, int parity) const {
    return fields.span(which, parity);
  }

  /// out = A source + hop H psi, or after the hop out = A^-1 (diagonal source + hop H psi), on the
  /// sites of a parity.
  [[nodiscard]] lattice::StoredCall<Kernel> call(int parity, Span<double> out, double hop, In psi,
                                                 bool after, double diagonal, In source,
                                                 bool dagger) const {
    Kernel kernel;
    auto& plain = kernel.plain;
    links.set(plain, parity);
    const int lanes = fields.lanes();
    plain.psi = {psi, lanes};
    plain.out = {out, lanes};
    if (source.data != nullptr) plain.source = {source, lanes};
    plain.hop = hop;
    plain.diagonal = diagonal;
    plain.sign = dagger ? -1 : 1;
    const std::size_t first = (after ? 4U : 0U) + 2U * static_cast<std::size_t>(parity);
    kernel.upper = blocks[first].view();
    kernel.lower = blocks[first + 1].view();
    kernel.after = after;
    return {kernel, links.grids[static_cast<std::size_t>(parity)]};
  }
  void run(const lattice::StoredCall<Kernel>& what) { placed.run(placed.program(what)); }

  /// Adds out = S in, or S^+ in, through t.
  void add(std::vector<Program>& all, Span<double> out, In in, bool dagger) const {
    const double h = numbers.hop;
    all.push_back(placed.program(call(1, span(t_, 1), 1, in, true, 0, {}, dagger)));
    all.push_back(placed.program(call(0, out, -h * h, span(t_, 1), false, 1, in, dagger)));
  }
  [[nodiscard]] std::vector<Program> normal(Span<double> out, In in) const {
    std::vector<Program> all;
    add(all, span(u_, 0), in, false);
    add(all, out, span(u_, 0), true);
    return all;
  }
  /// right = S^+ (b_e - h H_eo A_oo^-1 b_o).
  void precondition() {
    run(call(1, span(t_, 1), 0, span(b_, 0), true, 1, span(b_, 1), false)); // A^-1 b_o
    Dslash<double, 18> plain =
        call(0, span(u_, 0), -numbers.hop, span(t_, 1), false, 1, span(b_, 0), false).kernel.plain;
    placed.run(placed.program(lattice::StoredCall<Dslash<double, 18>>{plain, links.grids[0]}));
    std::vector<Program> all;
    add(all, span(right_, 0), span(u_, 0), true);
    for (const Program& program : all)
      placed.run(program);
  }
  /// x_o = A_oo^-1 (b_o - h H_oe x_e).
  void complete() {
    run(call(1, span(x_, 1), -numbers.hop, span(x_, 0), true, 1, span(b_, 1), false));
  }
  /// |b - D x|^2.
  [[nodiscard]] double rest(bool reproducible) {
    double all = 0;
    for (const int parity : {0, 1}) {
      run(call(parity, span(t_, parity), numbers.hop, span(x_, 1 - parity), false, 1,
               span(x_, parity), false));
      auto last =
          call(parity, span(u_, parity), 0, span(x_, 1 - parity), false, 1, span(b_, parity), false)
              .kernel.plain; // b - D x
      last.other = {span(t_, parity), last.psi.lanes};
      last.also = -1;
      lattice::StoredCall<Dslash<double, 18>> what{last,
                                                   links.grids[static_cast<std::size_t>(parity)]};
      what.sum = sum.doubles();
      placed.run(placed.program(what));
      all += sum.get(queue)[0];
    }
    if (reproducible) return placed.reproducible_norm2(fields.get(u_));
    return placed.alone() ? all : placed.ranks.sum(all);
  }

  Queue& queue;
  detail::StoredPlaced placed;
  WilsonNumbers numbers;
  detail::EvenOddLinks<double> links;
  lattice::DeviceResult<double> sum;
  std::vector<Blocks> blocks; ///< A and then A^-1, even and odd, upper and lower
  detail::EvenOddFields<Spinor<double>> fields;
  std::unique_ptr<solve::Cg> solver;
};

namespace {
/// |b|^2, or 1 of none.
double size_of(const CloverSolver::Sites& b) {
  const double size = detail::host_norm2(b);
  return size > 0 ? size : 1;
}
} // namespace

CloverSolver::CloverSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                           const WilsonNumbers& numbers, double csw, const Boundary& boundary)
    : CloverSolver(one_rank(), Extents{1, 1, 1, 1}, queue, extents, links, numbers, csw, boundary) {
}
CloverSolver::CloverSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                           const Extents& extents, const HostLinks& links,
                           const WilsonNumbers& numbers, double csw, const Boundary& boundary)
    : state_(std::make_unique<State>(ranks, grid, queue, extents, links, numbers, csw, boundary)) {}
CloverSolver::~CloverSolver() = default;

solve::Solved CloverSolver::solve(Sites& x, const Sites& b, const solve::Options& options) {
  State& s = *state_;
  if (const double unit = detail::unit_of(s.placed.ranks, b); unit != 1)
    return detail::in_unit(unit, x, b,
                           [&](Sites& y, const Sites& c) { return solve(y, c, options); });
  s.fields.put(State::x_, x);
  s.fields.put(State::b_, b);
  s.precondition();
  const double size = size_of(b);
  const solve::Solved solved = detail::to_tolerance(
      options,
      [&](const solve::Options& inner) {
        const solve::Solved part =
            s.solver->solve(s.span(State::x_, 0), s.span(State::right_, 0), inner);
        s.complete();
        return part;
      },
      [&] { return std::sqrt(s.rest(options.reproducible) / size); });
  x = s.fields.get(State::x_);
  s.placed.gather(x);
  return s.placed.of_all(solved);
}

double CloverSolver::residual(const Sites& x, const Sites& b) {
  State& s = *state_;
  if (const double unit = detail::unit_of(s.placed.ranks, b); unit != 1)
    return residual(detail::scaled(x, unit), detail::scaled(b, unit));
  s.fields.put(State::x_, x);
  s.fields.put(State::b_, b);
  return std::sqrt(s.rest(false) / size_of(b));
}

void CloverSolver::apply(Sites& out, const Sites& x, bool dagger) {
  State& s = *state_;
  s.fields.put(State::x_, x);
  for (const int parity : {0, 1})
    s.run(s.call(parity, s.span(State::t_, parity), s.numbers.hop, s.span(State::x_, 1 - parity),
                 false, 1, s.span(State::x_, parity), dagger));
  out = s.fields.get(State::t_);
  s.placed.gather(out);
}

} // namespace ridge::gauge
