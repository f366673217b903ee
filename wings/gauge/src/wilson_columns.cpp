// Conjugate gradients of the Wilson operator for several right-hand sides at once.
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/gauge/wilson_columns.hpp>
#include <ridge/solve/cg.hpp>

#include "core/refuse.hpp"
#include "fixed_cg.hpp"
#include "in_unit.hpp"
#include "mixed_operator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>

namespace ridge::gauge {

namespace wilson_columns {

/// D, and its Schur complement S = d - h^2 / d H_eo H_oe on even sites. Right-hand sides are the
/// values of a site, as those of a fifth dimension are.
template <class T>
class Operator {
public:
  using Values = Span<const T>;
  Operator(const detail::StoredPlaced& placed, const HostLinks& host, const WilsonNumbers& n,
           int columns)
      : links(placed, host, columns), t(placed.queue, links.grids, "between operators"),
        u(placed.queue, links.grids, "between operators"), placed_(placed), numbers_(n) {
    if (placed.alone() && columns > 1) return;
    for (detail::Both<T>* const both : {&t, &u}) { // other ranks' sites, and lanes without one
      placed.clear(both->even);
      placed.clear(both->odd);
    }
    if (placed.alone()) return;
    image_ = std::make_unique<StoredFermion<T>>(placed.queue.device(), links.grids[0],
                                                "the operator's result");
    placed.clear(*image_);
  }

  /// out = diagonal source + hop H psi on the sites of a parity.
  [[nodiscard]] lattice::StoredCall<Dslash<T, 18>> hop(int parity, Span<T> out, double factor,
                                                       Values psi, bool dagger = false,
                                                       double diagonal = 0,
                                                       Values source = {}) const {
    Dslash<T, 18> kernel;
    links.set(kernel, parity);
    kernel.psi = {psi, t.lanes()};
    kernel.out = {out, t.lanes()};
    if (source.data != nullptr) kernel.source = {source, t.lanes()};
    kernel.hop = static_cast<T>(factor);
    kernel.diagonal = static_cast<T>(diagonal);
    kernel.sign = dagger ? -1 : 1;
    return {kernel, links.grids[static_cast<std::size_t>(parity)]};
  }
  /// Where the result of normal() may be. Over ranks u has other ranks' sites.
  [[nodiscard]] Span<T> image() const { return image_ ? image_->view().elements : u.span(0); }
  /// out = S^+ S in, through t and u; `out` may be u on one rank.
  [[nodiscard]] std::vector<Program> normal(Span<T> out, Values in) const {
    std::vector<Program> all;
    add(all, u.span(0), in, false);
    add(all, out, u.span(0), true);
    return all;
  }
  /// Adds out = S in, or S^+ in, through t; `out` may be `in`.
  void add(std::vector<Program>& all, Span<T> out, Values in, bool dagger) const {
    const double d = numbers_.diagonal, h = numbers_.hop;
    all.push_back(placed_.program(hop(1, t.span(1), 1, in, dagger)));
    all.push_back(placed_.program(hop(0, out, -h * h / d, t.span(1), dagger, d, in)));
  }

  detail::EvenOddLinks<T> links;
  detail::Both<T> t, u; ///< what lies between operators

private:
  const detail::StoredPlaced& placed_;
  WilsonNumbers numbers_;
  std::unique_ptr<StoredFermion<T>> image_;
};

} // namespace wilson_columns

struct WilsonColumns::State {
  using Exact = wilson_columns::Operator<double>;
  using Mixed = detail::MixedOperator<wilson_columns::Operator>;

  State(comm::Communicator& ranks, const Extents& grid, Queue& q, const Extents& e,
        const HostLinks& host, const WilsonNumbers& n, int number, const Boundary& around,
        Method method)
      : queue(q), extents(e), numbers(n), columns(checked(number, around, ranks, method)),
        placed(ranks, grid, q, e, around), exact(placed, host, n, number),
        b(q, exact.links.grids, "the right-hand sides"), x(q, exact.links.grids, "the solutions"),
        right(q.device(), exact.links.grids[0], "the right-hand sides"),
        norms(q, x.span(0).size, detail::order_of<double>(exact.links.grids[0], x.lanes()),
              &ranks) {
    placed.clear(x.even);
    if (method != Method::cg) {
      mixed = std::make_unique<Mixed>(q, exact, right.view().elements, placed, host, n, number);
      if (method == Method::fixed16_cg) {
        fixed = std::make_unique<solve::UpdatedCg>(
            q, mixed->exact(), std::make_unique<detail::FixedCg>(placed, host, n), mixed->count());
        return;
      }
      solver = std::make_unique<solve::ColumnsCg>(q, mixed->exact(), mixed->inner(), mixed->count(),
                                                  mixed->order(), 0.001, &ranks);
      return;
    }
    solver = std::make_unique<solve::ColumnsCg>(
        q, [this](Span<double> out, Span<const double> in) { return exact.normal(out, in); },
        x.span(0).size, detail::order_of<double>(exact.links.grids[0], x.lanes()), &ranks);
  }

  static int checked(int number, const Boundary& boundary, const comm::Communicator& ranks,
                     Method method) {
    if (method == Method::fixed16_cg) {
      if (number != 1 || ranks.ranks() > 1)
        throw UsageError("iterations in numbers of 16 bits are of one column on one rank");
    } else if (number < 2) {
      throw UsageError(
          fmt::format("at least 2 right-hand sides are solved together, not {}", number));
    }
    detail::require_real(boundary, "several right-hand sides at once");
    return number;
  }
  /// |b|^2 of each, or 1 of none.
  [[nodiscard]] std::vector<double> sizes_of(const std::vector<Sites>& all, bool same_bits) const {
    std::vector<double> sizes(all.size());
    const auto some = [&](int thread, int threads) {
      const auto mine = cpu::share_of(static_cast<Index>(all.size()), thread, threads);
      for (auto i = static_cast<std::size_t>(mine.begin); i < static_cast<std::size_t>(mine.end);
           ++i) {
        const double size = placed.norm2(all[i], same_bits);
        sizes[i] = size > 0 ? size : 1;
      }
    };
    if (placed.alone() && !same_bits)
      cpu::run(cpu::default_threads(), some);
    else
      some(0, 1); // ranks ask each other
    return sizes;
  }
  /// What each is multiplied by; none where that is 1 for all.
  [[nodiscard]] std::vector<double> units_of(const std::vector<Sites>& all) const {
    std::vector<double> units;
    for (const Sites& one : all)
      units.push_back(detail::unit_of(placed.ranks, one));
    if (std::all_of(units.begin(), units.end(), [](double unit) { return unit == 1; })) return {};
    return units;
  }
  template <class Kernel>
  void run(const lattice::StoredCall<Kernel>& call) const {
    placed.run(placed.program(call));
  }

  /// Of even and odd sites, whether a column has anything but zeros there: sources and starts
  /// mostly have not.
  [[nodiscard]] std::array<bool, 2> set_in(const std::vector<Sites>& all) const {
    std::array<std::atomic<bool>, 2> set{};
    cpu::run(cpu::default_threads(), [&](int thread, int threads) {
      const auto mine = cpu::share_of(extents.count(), thread, threads);
      for (Index i = mine.begin; i < mine.end && !(set[0] && set[1]); ++i) {
        bool any = false;
        for (const Sites& one : all)
          any = any || has_a_bit(one[static_cast<std::size_t>(i)]);
        if (any) set[static_cast<std::size_t>(parity_of(i))] = true;
      }
    });
    return {set[0], set[1]};
  }
  static bool has_a_bit(const Spinor<double>& site) {
    std::array<std::uint64_t, sizeof(site) / sizeof(std::uint64_t)> words;
    std::memcpy(words.data(), &site, sizeof(site));
    return std::reduce(words.begin(), words.end(), std::uint64_t{0}, std::bit_or<>()) != 0;
  }
  [[nodiscard]] int parity_of(Index site) const {
    Index sum = 0;
    for (int d = 0; d < extents.rank(); ++d) {
      sum += site % extents[d];
      site /= extents[d];
    }
    return static_cast<int>(sum % 2);
  }
  void put(detail::Both<double>& to, const std::vector<Sites>& from) const {
    const auto set = set_in(from);
    for (const int parity : {0, 1}) {
      if (placed.alone() && !set[static_cast<std::size_t>(parity)]) {
        placed.clear(to[parity]);
        continue;
      }
      to[parity].fill(queue, placed.part.placed([&](const int(&at)[4], int s) {
        return from[static_cast<std::size_t>(s)][placed.site(at)];
      }));
    }
  }
  void get(std::vector<Sites>& to, detail::Both<double>& from) const {
    for (const int parity : {0, 1}) {
      placed.visit(from[parity], [&](const int(&at)[4], int s, const Spinor<double>& v) {
        to[static_cast<std::size_t>(s)][placed.site(at)] = v;
      });
    }
    for (Sites& one : to)
      placed.gather(one);
  }
  void require(const std::vector<Sites>& sites) const {
    bool fit = static_cast<int>(sites.size()) == columns;
    for (const Sites& one : sites)
      fit = fit && static_cast<Index>(one.size()) == extents.count();
    refuse_if(!fit, "{} columns of one spinor a site are needed", columns);
  }

  /// right = S^+ (b_e - h / d H b_o).
  void precondition() const {
    // Other ranks' sites and lanes without a site, which are summed, too.
    if (!placed.alone() || columns == 1) placed.clear(right);
    const double share = -numbers.hop / numbers.diagonal;
    run(exact.hop(0, exact.u.span(0), share, b.span(1), false, 1, b.span(0)));
    std::vector<Program> all;
    exact.add(all, right.view().elements, exact.u.span(0), true);
    for (const Program& program : all)
      placed.run(program);
    if (mixed) mixed->take(right.view().elements);
  }
  /// The odd sites of x, of its even ones.
  void complete() const {
    const double d = numbers.diagonal;
    run(exact.hop(1, x.span(1), -numbers.hop / d, x.span(0), false, 1 / d, b.span(1)));
  }
  /// |b - D x|^2 of each column.
  [[nodiscard]] std::vector<double> rest(bool same_bits) {
    for (const int parity : {0, 1})
      if (!placed.alone()) placed.clear(exact.t[parity]);
    const double d = numbers.diagonal, h = numbers.hop;
    std::vector<double> all(static_cast<std::size_t>(columns), 0);
    for (const int parity : {0, 1}) {
      const Span<double> rest = exact.t.span(parity);
      auto apart = exact.hop(parity, rest, -h, x.span(1 - parity), false, 1, b.span(parity));
      apart.kernel.other = {x.span(parity), x.lanes()};
      apart.kernel.also = -d;
      run(apart);
      auto sums = norms(rest, same_bits);
      if (columns == 1) sums = {std::accumulate(sums.begin(), sums.end(), 0.0)}; // of its lanes
      for (std::size_t c = 0; c < all.size(); ++c)
        all[c] += sums[c];
    }
    return all;
  }

  Queue& queue;
  Extents extents;
  WilsonNumbers numbers;
  int columns;
  detail::StoredPlaced placed;
  Exact exact;
  detail::Both<double> b, x;
  StoredFermion<double> right;
  solve::ColumnNorms norms;
  std::unique_ptr<Mixed> mixed;
  std::unique_ptr<solve::ColumnsCg> solver;
  std::unique_ptr<solve::UpdatedCg> fixed; ///< or this one
};

WilsonColumns::WilsonColumns(Queue& queue, const Extents& extents, const HostLinks& links,
                             const WilsonNumbers& numbers, int columns, const Boundary& boundary,
                             Method method)
    : WilsonColumns(one_rank(), Extents{1, 1, 1, 1}, queue, extents, links, numbers, columns,
                    boundary, method) {}
WilsonColumns::WilsonColumns(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                             const Extents& extents, const HostLinks& links,
                             const WilsonNumbers& numbers, int columns, const Boundary& boundary,
                             Method method)
    : state_(std::make_unique<State>(ranks, grid, queue, extents, links, numbers, columns, boundary,
                                     method)) {}
WilsonColumns::~WilsonColumns() = default;

int WilsonColumns::columns() const {
  return state_->columns;
}

namespace {
std::vector<WilsonColumns::Sites> scaled(std::vector<WilsonColumns::Sites> columns,
                                         const std::vector<double>& units) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    columns[c] = detail::scaled(std::move(columns[c]), units[c]);
  return columns;
}
} // namespace

std::vector<double> WilsonColumns::residuals(const std::vector<Sites>& x,
                                             const std::vector<Sites>& b) {
  State& s = *state_;
  s.require(b);
  s.require(x);
  if (const auto units = s.units_of(b); !units.empty())
    return residuals(scaled(x, units), scaled(b, units));
  s.put(s.x, x);
  s.put(s.b, b);
  std::vector<double> all = s.rest(false);
  const std::vector<double> sizes = s.sizes_of(b, false);
  for (std::size_t c = 0; c < all.size(); ++c)
    all[c] = std::sqrt(all[c] / sizes[c]);
  return all;
}

std::vector<solve::Solved> WilsonColumns::solve(std::vector<Sites>& x, const std::vector<Sites>& b,
                                                const solve::Options& options) {
  State& s = *state_;
  s.require(b);
  s.require(x);
  if (auto units = s.units_of(b); !units.empty()) {
    x = scaled(std::move(x), units);
    auto solved = solve(x, scaled(b, units), options);
    for (double& unit : units)
      unit = 1 / unit;
    x = scaled(std::move(x), units);
    return solved;
  }
  s.put(s.x, x);
  s.put(s.b, b);
  s.precondition();
  const std::vector<double> sizes = s.sizes_of(b, options.reproducible);
  std::vector<double> rest;
  const auto residual_of = [&](std::size_t c) { return std::sqrt(rest[c] / sizes[c]); };
  // The iteration sees |S^+ (b - S x)|; |b - D x| may be larger by D's condition.
  const auto measure = [&] {
    if (s.mixed) s.mixed->show(s.x.span(0));
    s.complete();
    rest = s.rest(options.reproducible);
    std::vector<double> all;
    for (std::size_t c = 0; c < rest.size(); ++c)
      all.push_back(residual_of(c) / options.tolerance);
    return all;
  };
  auto all = s.fixed   ? std::vector{s.mixed->solve(*s.fixed, s.x.span(0), options, measure)}
             : s.mixed ? s.mixed->solve(*s.solver, s.x.span(0), options, measure)
                       : s.solver->solve(s.x.span(0), s.right.view().elements, options, measure);
  (void)measure();
  all.resize(b.size()); // lanes that are no column's are left out
  const double each = 1.0 / static_cast<double>(all.size());
  const solve::Solved whole = all.front();
  for (std::size_t c = 0; c < all.size(); ++c) {
    solve::Solved& one = all[c];
    one.residual = residual_of(c);
    one.converged = one.residual <= options.tolerance;
    one.bytes = each * whole.bytes;
    one.flops = each * whole.flops;
    one.seconds.value = each * whole.seconds.value;
  }
  s.get(x, s.x);
  for (solve::Solved& one : all)
    one = s.placed.of_all(one);
  return all;
}

} // namespace ridge::gauge
