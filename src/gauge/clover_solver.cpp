// Conjugate gradients of the Wilson operator with the clover term, on stored fields.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/clover_solver.hpp>
#include <ridge/gauge/clover_term.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/solve/cg.hpp>

#include "to_tolerance.hpp"

#include <array>
#include <cmath>

namespace ridge::gauge {

struct CloverSolver::State {
  using Grid = lattice::SiteGrid;
  using Kernel = Clover<double, 18>;
  using Field = StoredFermion<double>;
  using Blocks = lattice::StoredField<CloverBlock<double>, double>;
  using In = Span<const double>;

  State(Queue& q, const Extents& e, const HostLinks& host, const WilsonNumbers& n, double csw,
        const Boundary& around)
      : queue(q), extents(e), numbers(n),
        boundary(around), grids{site_grid(q.device(), e, lattice::Sites::even, 8),
                                site_grid(q.device(), e, lattice::Sites::odd, 8)},
        links(q, {grids[0], grids[1]},
              [&](const int (&x)[4], int mu) {
                return host[4 * site(x) + static_cast<std::size_t>(mu)];
              }),
        sum(q.device(), 1) {
    for (const auto& factor : around)
      if (factor.im != 0) throw UsageError("boundary factors of the clover operator are real");
    const CloverTerm term = clover_term(e, host, n.diagonal, -2 * n.hop * csw);
    const CloverTerm inverted = inverse(term);
    for (const CloverTerm* const t : {&term, &inverted}) {
      for (const Grid& grid : grids) {
        for (const auto* const side : {&t->upper, &t->lower}) {
          blocks.emplace_back(q.device(), grid, "the clover term");
          blocks.back().fill(q, [&](const int(&x)[4], int) { return (*side)[site(x)]; });
        }
      }
    }
    for (const char* const name : {"x", "b", "a spinor", "a spinor", "the right-hand side"}) {
      for (const Grid& grid : grids) {
        fields.emplace_back(q.device(), grid, name);
        fill_bytes(q, fields.back().view().elements.data, 0, fields.back().bytes());
      }
    }
    solver = std::make_unique<solve::Cg>(
        q, [this](Span<double> out, In in) { return normal(out, in); }, span(x_, 0).size);
  }

  enum Which { x_, b_, t_, u_, right_ };
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

  /// out = A source + hop H psi, or after the hop out = A^-1 (diagonal source + hop H psi), on the
  /// sites of a parity.
  [[nodiscard]] lattice::StoredCall<Kernel> call(int parity, Span<double> out, double hop, In psi,
                                                 bool after, double diagonal, In source,
                                                 bool dagger) const {
    Kernel kernel;
    auto& plain = kernel.plain;
    const auto here = static_cast<std::size_t>(parity);
    for (int mu = 0; mu < dimensions; ++mu) {
      plain.links[0][mu] = links.of(grids[here], mu).view();
      plain.links[1][mu] = links.of(grids[1 - here], mu).view();
      plain.boundary[mu] = boundary[static_cast<std::size_t>(mu)].re;
    }
    const int lanes = fields.front().view().lanes;
    plain.psi = {psi, lanes};
    plain.out = {out, lanes};
    if (source.data != nullptr) plain.source = {source, lanes};
    plain.hop = hop;
    plain.diagonal = diagonal;
    plain.sign = dagger ? -1 : 1;
    const std::size_t first = (after ? 4 : 0) + 2 * here;
    kernel.upper = blocks[first].view();
    kernel.lower = blocks[first + 1].view();
    kernel.after = after;
    return {kernel, grids[here]};
  }
  void run(const lattice::StoredCall<Kernel>& what) { Program(queue, what).run(); }

  /// Adds out = S in, or S^+ in, through t.
  void add(std::vector<Program>& all, Span<double> out, In in, bool dagger) const {
    const double h = numbers.hop;
    all.emplace_back(queue, call(1, span(t_, 1), 1, in, true, 0, {}, dagger));
    all.emplace_back(queue, call(0, out, -h * h, span(t_, 1), false, 1, in, dagger));
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
    Program(queue, lattice::StoredCall<Dslash<double, 18>>{plain, grids[0]}).run();
    std::vector<Program> all;
    add(all, span(right_, 0), span(u_, 0), true);
    for (const Program& program : all)
      program.run();
  }
  /// x_o = A_oo^-1 (b_o - h H_oe x_e).
  void complete() {
    run(call(1, span(x_, 1), -numbers.hop, span(x_, 0), true, 1, span(b_, 1), false));
  }
  /// |b - D x|^2.
  [[nodiscard]] double rest() {
    double all = 0;
    for (const int parity : {0, 1}) {
      run(call(parity, span(t_, parity), numbers.hop, span(x_, 1 - parity), false, 1,
               span(x_, parity), false));
      auto last =
          call(parity, span(u_, parity), 0, span(x_, 1 - parity), false, 1, span(b_, parity), false)
              .kernel.plain; // b - D x
      last.other = {span(t_, parity), last.psi.lanes};
      last.also = -1;
      lattice::StoredCall<Dslash<double, 18>> what{last, grids[static_cast<std::size_t>(parity)]};
      what.sum = sum.doubles();
      Program(queue, what).run();
      all += sum.get(queue)[0];
    }
    return all;
  }

  void put(Which to, const Sites& from) {
    if (static_cast<Index>(from.size()) != extents.count())
      throw UsageError("a source of one spinor a site is needed");
    for (const int parity : {0, 1})
      field(to, parity).fill(queue, [&](const int(&x)[4], int) { return from[site(x)]; });
  }
  [[nodiscard]] Sites get(Which from) {
    Sites to(static_cast<std::size_t>(extents.count()));
    for (const int parity : {0, 1}) {
      field(from, parity).visit(queue, [&](const int(&x)[4], int, const Spinor<double>& v) {
        to[site(x)] = v;
      });
    }
    return to;
  }
  static double norm2(const Sites& sites) {
    double sum = 0;
    for (const auto& spinor : sites) {
      for (int c = 0; c < spins * colours; ++c) {
        const auto& z = component(spinor, c);
        sum += z.re * z.re + z.im * z.im;
      }
    }
    return sum > 0 ? sum : 1;
  }

  Queue& queue;
  Extents extents;
  WilsonNumbers numbers;
  Boundary boundary;
  std::array<Grid, 2> grids;
  StoredLinks<double, 18> links;
  lattice::DeviceResult<double> sum;
  std::vector<Blocks> blocks; ///< A and then A^-1, even and odd, upper and lower
  std::vector<Field> fields;
  std::unique_ptr<solve::Cg> solver;
};

CloverSolver::CloverSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                           const WilsonNumbers& numbers, double csw, const Boundary& boundary)
    : state_(std::make_unique<State>(queue, extents, links, numbers, csw, boundary)) {}
CloverSolver::~CloverSolver() = default;

solve::Solved CloverSolver::solve(Sites& x, const Sites& b, const solve::Options& options) {
  State& s = *state_;
  s.put(State::x_, x);
  s.put(State::b_, b);
  s.precondition();
  const double size = State::norm2(b);
  const solve::Solved solved = detail::to_tolerance(
      options,
      [&](const solve::Options& inner) {
        const solve::Solved part =
            s.solver->solve(s.span(State::x_, 0), s.span(State::right_, 0), inner);
        s.complete();
        return part;
      },
      [&] { return std::sqrt(s.rest() / size); });
  x = s.get(State::x_);
  return solved;
}

double CloverSolver::residual(const Sites& x, const Sites& b) {
  State& s = *state_;
  s.put(State::x_, x);
  s.put(State::b_, b);
  return std::sqrt(s.rest() / State::norm2(b));
}

} // namespace ridge::gauge
