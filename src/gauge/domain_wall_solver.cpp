// Domain-wall operators on stored fields, and their conjugate gradients.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/domain_wall.hpp>
#include <ridge/gauge/fifth_dimension.hpp>
#include <ridge/gauge/fifth_matrix.hpp>
#include <ridge/gauge/stored.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/solve/cg.hpp>

#include "to_tolerance.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <mutex>

namespace ridge::gauge {

namespace domain_wall {

using lattice::SiteGrid;
using Hop = Dslash<double, 18>;
using Stored = StoredFermion<double>;
using Values = Span<const double>;

/// A matrix on the device, by columns of as many numbers as a group has lanes.
class Table {
public:
  Table(Queue& queue, const FifthMatrix& matrix, int stride)
      : values_(matrix.n), stride_(stride),
        memory_(queue.device(), Bytes{Index{2} * matrix.n * stride * 8}, "a matrix") {
    const auto n = static_cast<std::size_t>(matrix.n);
    const auto step = static_cast<std::size_t>(stride);
    std::vector<double> host(2 * n * step, 0);
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t t = 0; t < n; ++t) {
        host[t * step + s] = matrix.upper[s * n + t];
        host[(n + t) * step + s] = matrix.lower[s * n + t];
      }
    }
    copy_to_device(queue, static_cast<double*>(memory_.data()), host.data(),
                   static_cast<Index>(host.size()));
    queue.wait();
  }
  void set(FifthDimension<double>& kernel) const {
    const auto* const all = static_cast<const double*>(memory_.data());
    const Index half = Index{values_} * stride_;
    kernel.upper = {all, half};
    kernel.lower = {all + half, half};
    kernel.values = values_;
    kernel.stride = stride_;
  }

private:
  int values_, stride_;
  Memory memory_;
};

/// The sites of both parities.
struct Both {
  Stored even, odd;
  Both(Queue& queue, const std::array<SiteGrid, 2>& grids, const char* name)
      : even(queue.device(), grids[0], name), odd(queue.device(), grids[1], name) {}
  [[nodiscard]] Stored& operator[](int parity) { return parity == 0 ? even : odd; }
  [[nodiscard]] Span<double> span(int parity) const {
    return (parity == 0 ? even : odd).view().elements;
  }
};

inline const DomainWallNumbers& checked(const DomainWallNumbers& n, const Boundary& boundary) {
  if (n.values < 2) {
    throw UsageError(
        fmt::format("the fifth dimension of domain walls has at least 2 values, not {}", n.values));
  }
  for (const auto& factor : boundary)
    if (factor.im != 0) throw UsageError("boundary factors of domain walls are real");
  return n;
}

inline std::array<SiteGrid, 2> both_grids(const Device& device, const Extents& extents,
                                          int values) {
  return {site_grid(device, extents, lattice::Sites::even, 8, values),
          site_grid(device, extents, lattice::Sites::odd, 8, values)};
}

} // namespace domain_wall

using namespace domain_wall;

struct DomainWallSolver::State {
  State(Queue& q, const Extents& e, const HostLinks& host, const DomainWallNumbers& n,
        const Boundary& around)
      : queue(q), extents(e), numbers(checked(n, around)), boundary(around),
        grids(both_grids(q.device(), e, n.values)),
        links(q, {grids[0], grids[1]},
              [&](const int (&x)[4], int mu) {
                return host[static_cast<std::size_t>(4 * site(x) + mu)];
              }),
        b(q, grids, "the right-hand side"), y(q, grids, "the solution"),
        t(q, grids, "between operators"), u(q, grids, "between operators"),
        right(q.device(), grids[0], "the right-hand side"), sum(q.device(), 1) {
    const int stride = y.even.view().lanes;
    const FifthMatrix one(n.values), hop = fifth_hop(n.values, n.mass);
    const FifthMatrix blend = combined(n.b, one, n.c, hop);
    const FifthMatrix diagonal = combined(4 - n.m5, blend, 1, combined(1, one, -1, hop));
    const FifthMatrix k = product(blend, inverse(diagonal, "the diagonal part of the operator"));
    const auto table = [&](const FifthMatrix& m) { return Table(q, m, stride); };
    tables.push_back(table(blend));
    tables.push_back(table(transposed(blend)));
    tables.push_back(table(inverse(blend, "b + c L")));
    tables.push_back(table(diagonal));
    tables.push_back(table(transposed(diagonal)));
    tables.push_back(table(k));
    tables.push_back(table(transposed(k)));
    solver = std::make_unique<solve::Cg>(
        q, [this](Span<double> out, Values in) { return normal(out, in); },
        y.even.view().elements.size);
  }

  enum Which { blended, blended_t, unblended, local, local_t, preconditioned, preconditioned_t };

  [[nodiscard]] std::size_t site(const int (&x)[4]) const {
    Index i = 0;
    for (int d = 3; d >= 0; --d)
      i = i * extents[d] + x[d];
    return static_cast<std::size_t>(i);
  }

  /// out = diagonal source + hop H psi on the sites of a parity.
  [[nodiscard]] lattice::StoredCall<Hop> hop(int parity, Span<double> out, Values psi, bool dagger,
                                             double factor = 1, double diagonal = 0,
                                             Values source = {}) const {
    Hop kernel;
    for (int mu = 0; mu < dimensions; ++mu) {
      kernel.links[0][mu] = links.of(grids[static_cast<std::size_t>(parity)], mu).view();
      kernel.links[1][mu] = links.of(grids[static_cast<std::size_t>(1 - parity)], mu).view();
      kernel.boundary[mu] = boundary[static_cast<std::size_t>(mu)].re;
    }
    const int lanes = y.even.view().lanes;
    kernel.psi = {psi, lanes};
    kernel.out = {out, lanes};
    if (source.data != nullptr) kernel.source = {source, lanes};
    kernel.hop = factor;
    kernel.diagonal = diagonal;
    kernel.sign = dagger ? -1 : 1;
    return {kernel, grids[static_cast<std::size_t>(parity)]};
  }
  /// out = diagonal source + factor (a matrix in the fifth dimension) psi.
  [[nodiscard]] lattice::StoredCall<FifthDimension<double>>
  fifth(int parity, Span<double> out, Which which, Values psi, double factor = 1,
        double diagonal = 0, Values source = {}) const {
    FifthDimension<double> kernel;
    const int lanes = y.even.view().lanes;
    kernel.psi = {psi, lanes};
    kernel.out = {out, lanes};
    if (source.data != nullptr) kernel.source = {source, lanes};
    tables[which].set(kernel);
    kernel.factor = factor;
    kernel.diagonal = diagonal;
    return {kernel, grids[static_cast<std::size_t>(parity)]};
  }
  template <class Call>
  void run(const Call& call) {
    Program(queue, call).run();
  }

  /// out = S^+ S in on even sites, S = 1 - K H_eo K H_oe / 4.
  [[nodiscard]] std::vector<Program> normal(Span<double> out, Values in) const {
    const Span<double> te = t.span(0), to = t.span(1), ue = u.span(0), uo = u.span(1);
    std::vector<Program> all;
    all.emplace_back(queue, hop(1, to, in, false));
    all.emplace_back(queue, fifth(1, uo, preconditioned, to));
    all.emplace_back(queue, hop(0, te, uo, false));
    all.emplace_back(queue, fifth(0, ue, preconditioned, te, -0.25, 1, in));
    adjoint(all, out, ue);
    return all;
  }
  /// out = S^+ in, through t and u; `in` may be u.
  void adjoint(std::vector<Program>& all, Span<double> out, Values in) const {
    const Span<double> te = t.span(0), to = t.span(1), uo = u.span(1);
    all.emplace_back(queue, fifth(0, te, preconditioned_t, in));
    all.emplace_back(queue, hop(1, to, te, true));
    all.emplace_back(queue, fifth(1, uo, preconditioned_t, to));
    all.emplace_back(queue, hop(0, out, uo, true, -0.25, 1, in));
  }

  void put(Both& to, const Sites& from) {
    const std::size_t volume = static_cast<std::size_t>(extents.count());
    for (const int parity : {0, 1}) {
      to[parity].fill(queue, [&](const int(&x)[4], int s) {
        return from[static_cast<std::size_t>(s) * volume + site(x)];
      });
    }
  }
  [[nodiscard]] Sites get(Both& from) {
    const std::size_t volume = static_cast<std::size_t>(extents.count());
    Sites to(volume * static_cast<std::size_t>(numbers.values));
    for (const int parity : {0, 1}) {
      from[parity].visit(queue, [&](const int(&x)[4], int s, const Spinor<double>& v) {
        to[static_cast<std::size_t>(s) * volume + site(x)] = v;
      });
    }
    return to;
  }
  void require(const Sites& sites, int values) const {
    const Index wanted = extents.count() * values;
    if (static_cast<Index>(sites.size()) != wanted) {
      throw UsageError(fmt::format("a source of {} spinors is needed, not of {}", wanted,
                                   static_cast<Index>(sites.size())));
    }
  }

  /// right = S^+ K (b_e + H_eo K b_o / 2).
  void precondition() {
    run(fifth(1, u.span(1), preconditioned, b.span(1)));
    run(hop(0, t.span(0), u.span(1), false, 0.5, 1, b.span(0)));
    run(fifth(0, u.span(0), preconditioned, t.span(0)));
    std::vector<Program> all;
    adjoint(all, right.view().elements, u.span(0));
    for (const Program& program : all)
      program.run();
  }
  /// y_o of y_e, and |b - D x|^2 with x = B^-1 y, which is left in u.
  [[nodiscard]] double complete() {
    run(hop(1, t.span(1), y.span(0), false, 0.5, 1, b.span(1)));
    run(fifth(1, y.span(1), preconditioned, t.span(1)));
    double all = 0;
    for (const int parity : {0, 1})
      run(fifth(parity, u.span(parity), unblended, y.span(parity)));
    for (const int parity : {0, 1}) { // b - M x + H B x / 2
      Stored blend(queue.device(), grids[static_cast<std::size_t>(1 - parity)], "B x");
      Stored rest(queue.device(), grids[static_cast<std::size_t>(parity)], "the residual");
      run(fifth(1 - parity, blend.view().elements, blended, u.span(1 - parity)));
      run(fifth(parity, t.span(parity), local, u.span(parity)));
      auto last =
          hop(parity, rest.view().elements, blend.view().elements, false, 0.5, 1, b.span(parity));
      last.kernel.other = {t.span(parity), y.even.view().lanes};
      last.kernel.also = -1;
      last.sum = sum.doubles();
      run(last);
      all += sum.get(queue)[0];
    }
    return all;
  }

  Queue& queue;
  Extents extents;
  DomainWallNumbers numbers;
  Boundary boundary;
  std::array<SiteGrid, 2> grids;
  StoredLinks<double, 18> links;
  Both b, y, t, u;
  Stored right;
  lattice::DeviceResult<double> sum;
  std::vector<Table> tables;
  std::unique_ptr<solve::Cg> solver;
};

DomainWallSolver::DomainWallSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                                   const DomainWallNumbers& numbers, const Boundary& boundary)
    : state_(std::make_unique<State>(queue, extents, links, numbers, boundary)) {}
DomainWallSolver::~DomainWallSolver() = default;

DomainWallSolver::Sites DomainWallSolver::apply(const Sites& x, bool dagger) {
  State& s = *state_;
  s.require(x, s.numbers.values);
  s.put(s.u, x);
  for (const int parity : {0, 1}) {
    const int other = 1 - parity;
    if (dagger) { // M^+ x - B^+ H^+ x / 2
      s.run(s.hop(parity, s.t.span(parity), s.u.span(other), true));
      s.run(s.fifth(parity, s.b.span(parity), State::local_t, s.u.span(parity)));
      s.run(s.fifth(parity, s.y.span(parity), State::blended_t, s.t.span(parity), -0.5, 1,
                    s.b.span(parity)));
    } else { // M x - H B x / 2
      s.run(s.fifth(other, s.t.span(other), State::blended, s.u.span(other)));
      s.run(s.fifth(parity, s.b.span(parity), State::local, s.u.span(parity)));
      s.run(s.hop(parity, s.y.span(parity), s.t.span(other), false, -0.5, 1, s.b.span(parity)));
    }
  }
  return s.get(s.y);
}

solve::Solved DomainWallSolver::solve(Sites& x, const Sites& b, const solve::Options& options) {
  State& s = *state_;
  s.require(b, s.numbers.values);
  s.put(s.b, b);
  double size = 0;
  for (const auto& spinor : b) {
    for (int c = 0; c < spins * colours; ++c) {
      const auto& z = component(spinor, c);
      size += z.re * z.re + z.im * z.im;
    }
  }
  fill_bytes(s.queue, s.y.span(0).data, 0, s.y.even.bytes());
  s.precondition();
  const solve::Solved solved = detail::to_tolerance(
      options,
      [&](const solve::Options& inner) {
        return s.solver->solve(s.y.span(0), s.right.view().elements, inner);
      },
      [&] { return std::sqrt(s.complete() / (size > 0 ? size : 1)); });
  x = s.get(s.u);
  return solved;
}

solve::Solved DomainWallSolver::propagate(Sites& q, const Sites& b, const solve::Options& options) {
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
  q.assign(volume, {});
  for (std::size_t i = 0; i < volume; ++i) {
    for (int c = 0; c < spins * colours; ++c)
      component(q[i], c) = component(x[(c < half ? last : 0) + i], c);
  }
  return solved;
}

} // namespace ridge::gauge
