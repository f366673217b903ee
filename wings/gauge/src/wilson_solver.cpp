// D x = b for the Wilson operator.
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/rank_reduce.hpp>
#include <ridge/lattice/reduce.hpp>
#include <ridge/solve/vector_call.hpp>

#include "in_unit.hpp"
#include "to_tolerance.hpp"
#include "wilson_operators.hpp"

#include <cmath>
#include <memory>
#include <optional>

namespace ridge::gauge {

namespace {

/// Vectors of 8 complex numbers in both precisions: then they lie alike, number by number.
constexpr int width_of_doubles = 128;
constexpr int width_of_floats = 64;

} // namespace

namespace detail {

/// Links of this rank, and those of others around them.
template <class T>
Links<T> placed_links(const Placed& placed, const HostLinks& whole) {
  Links<T> links = to_device<T>(placed.queue, placed.part, whole, placed.held.width());
  std::vector<lattice::FieldReach> reads;
  for (const auto& link : links)
    reads.push_back(all_around(link, false));
  lattice::HaloExchange exchange(placed.ranks, placed.queue, placed.part, reads);
  exchange.run();
  placed.queue.wait(); // the messages' memory goes
  return links;
}

} // namespace detail

using detail::normal_of;
using detail::Operators;

struct WilsonSolver::State {
  State(comm::Communicator& ranks, Queue& q, const lattice::RankLattice& part,
        const HostLinks& with, const WilsonNumbers& n, Method method)
      : placed{ranks, q, part, part.held()}, half{ranks, q, part,
                                                  lattice::Lattice(part.held().extents(),
                                                                   width_of_floats)},
        queue(q), numbers(n), links(detail::placed_links<double>(placed, with)),
        operators(placed, links, n), right(q.device(), part.held(), "the right-hand side"),
        image(q.device(), part.held(), "D x") {
    if (method == Method::bicgstab) {
      if (ranks.ranks() > 1)
        throw UsageError("BiCGStab runs on one rank; over several take conjugate gradients");
      direct = std::make_unique<solve::BiCgStab>(
          q, [this](Span<double> out, Span<const double> in) { return operators.apply(out, in); },
          count());
      return;
    }
    if (method == Method::cg) {
      exact = std::make_unique<solve::Cg>(q, normal_of(operators), count(), &ranks);
      return;
    }
    narrow_links = detail::placed_links<float>(half, with);
    narrow = std::make_unique<Operators<float>>(half, narrow_links, n);
    mixed = std::make_unique<solve::MixedCg>(q, normal_of(operators), normal_of(*narrow), count(),
                                             0.01, &ranks);
  }
  [[nodiscard]] Index count() const {
    return placed.held.sites() * lattice::reals_of<Spinor<double>>;
  }

  using Step = Operators<double>::Step;
  using Subset = lattice::Subset;
  void run(const std::vector<Program>& programs) const {
    for (const Program& program : programs)
      program.run();
    if (placed.ranks.ranks() > 1) queue.wait(); // the messages' memory goes
  }
  void run(const Step& step) const {
    std::vector<Program> programs;
    operators.add(programs, step);
    run(programs);
  }
  /// out = D x, or D^+ x.
  void apply(Span<double> out, Span<const double> x, bool dagger) const {
    std::vector<Program> programs;
    operators.whole(programs, out, x, dagger);
    run(programs);
  }
  /// The source where other ranks' sites may come beside this one's: it is summed, too.
  [[nodiscard]] Span<double> own(const Fermion<double>& b) {
    if (placed.ranks.ranks() == 1) return b.reals();
    if (!source) source.emplace(queue.device(), placed.held, "the source");
    copy_bytes_on_device(queue, source->reals().data, b.reals().data, b.bytes());
    return source->reals();
  }
  /// What the source is multiplied by.
  [[nodiscard]] double unit_of(const Fermion<double>& b) const {
    const double size = std::sqrt(placed.ranks.sum(norm2(queue, b)));
    if (size > detail::least_size && size < detail::most_size) return 1;
    return detail::unit_of(placed.ranks, b.get(queue));
  }
  [[nodiscard]] Fermion<double> times(const Fermion<double>& field, double unit) const {
    Fermion<double> to(queue.device(), placed.held, "a field in its unit");
    to.set(queue, detail::scaled(field.get(queue), unit));
    return to;
  }
  /// The right-hand side of what is solved for the source b.
  void take(const Fermion<double>& b) {
    const Fermion<double>& first = direct ? right : image;
    copy_bytes_on_device(queue, first.reals().data, b.reals().data, b.bytes());
    if (operators.even_odd()) {
      fill_bytes(queue, first.reals().data, 0, first.bytes());
      const Span<double> psi = own(b);
      run({Subset::even, first.reals(), 1, psi, -numbers.hop / numbers.diagonal, psi});
    }
    if (direct) return;
    fill_bytes(queue, right.reals().data, 0, right.bytes());
    std::vector<Program> programs;
    operators.add(programs, right.reals(), first.reals(), true);
    run(programs);
  }
  /// The odd sites of x, of its even ones.
  void complete(const Fermion<double>& x, const Fermion<double>& b) const {
    if (!operators.even_odd()) return;
    const double d = numbers.diagonal;
    run({Subset::odd, x.reals(), 1 / d, b.reals(), -numbers.hop / d, x.reals()});
  }
  solve::Solved inner(const Fermion<double>& x, const solve::Options& options) const {
    if (direct) return direct->solve(x.reals(), right.reals(), options);
    return exact->solve(x.reals(), right.reals(), options);
  }
  /// Bytes and operations of all ranks.
  [[nodiscard]] solve::Solved of_all(solve::Solved solved) const {
    solved.bytes = placed.ranks.sum(solved.bytes);
    solved.flops = placed.ranks.sum(solved.flops);
    return solved;
  }

  detail::Placed placed, half;
  Queue& queue;
  WilsonNumbers numbers;
  Links<double> links;
  Operators<double> operators;
  Links<float> narrow_links;
  std::unique_ptr<Operators<float>> narrow;
  Fermion<double> right, image;
  std::optional<Fermion<double>> source;
  std::unique_ptr<solve::BiCgStab> direct;
  std::unique_ptr<solve::Cg> exact;
  std::unique_ptr<solve::MixedCg> mixed;
};

WilsonSolver::WilsonSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                           const WilsonNumbers& numbers, const Boundary& boundary, Method method)
    : WilsonSolver(one_rank(), Extents{1, 1, 1, 1}, queue, extents, links, numbers, boundary,
                   method) {}
WilsonSolver::WilsonSolver(comm::Communicator& ranks, const Extents& grid, Queue& queue,
                           const Extents& extents, const HostLinks& links,
                           const WilsonNumbers& numbers, const Boundary& boundary, Method method)
    : state_(std::make_unique<State>(
          ranks, queue, lattice::RankLattice(extents, grid, ranks.rank(), 1, width_of_doubles),
          with_boundary(extents, links, boundary), numbers, method)) {}
WilsonSolver::~WilsonSolver() = default;

const lattice::Lattice& WilsonSolver::lattice() const {
  return state_->placed.held;
}
const lattice::RankLattice& WilsonSolver::part() const {
  return state_->placed.part;
}
const Links<double>& WilsonSolver::links() const {
  return state_->links;
}

void WilsonSolver::apply(const Fermion<double>& out, const Fermion<double>& x, bool dagger) {
  state_->apply(out.reals(), x.reals(), dagger);
}

double WilsonSolver::residual(const Fermion<double>& x, const Fermion<double>& b) {
  return residual(x, b, false);
}

double WilsonSolver::residual(const Fermion<double>& x, const Fermion<double>& b,
                              bool reproducible) {
  if (const double unit = state_->unit_of(b); unit != 1)
    return residual(state_->times(x, unit), state_->times(b, unit), reproducible);
  Queue& queue = state_->queue;
  comm::Communicator& ranks = state_->placed.ranks;
  Fermion<double>& image = state_->image;
  if (ranks.ranks() > 1) fill_bytes(queue, image.reals().data, 0, image.bytes());
  state_->apply(image.reals(), x.reals(), false);
  double size = norm2(queue, b);
  double rest = axpy_norm(queue, image, -1, image, b);
  if (reproducible) {
    size = lattice::norm2(ranks, queue, part(), b);
    rest = lattice::norm2(ranks, queue, part(), image);
  } else {
    size = ranks.sum(size);
    rest = ranks.sum(rest);
  }
  return size > 0 ? std::sqrt(rest / size) : std::sqrt(rest);
}

solve::Solved WilsonSolver::solve(const Fermion<double>& x, const Fermion<double>& b,
                                  const solve::Options& options) {
  if (const double unit = state_->unit_of(b); unit != 1) {
    const Fermion<double> found = state_->times(x, unit), source = state_->times(b, unit);
    const solve::Solved solved = solve(found, source, options);
    const Fermion<double> back = state_->times(found, 1 / unit);
    copy_bytes_on_device(state_->queue, x.reals().data, back.reals().data, back.bytes());
    state_->queue.wait();
    return solved;
  }
  State& s = *state_;
  s.take(b);
  const auto rest = [&] {
    s.complete(x, b);
    return residual(x, b, options.reproducible);
  };
  if (s.mixed) {
    return s.of_all(detail::by_measure(
        options,
        [&](const solve::Options& all, const solve::Measure& measure) {
          return s.mixed->solve(x.reals(), s.right.reals(), all, measure);
        },
        rest));
  }
  return s.of_all(detail::to_tolerance(
      options, [&](const solve::Options& inner) { return s.inner(x, inner); }, rest));
}

std::vector<solve::Solved> WilsonSolver::solve_shifted(const std::vector<const Fermion<double>*>& x,
                                                       const Fermion<double>& b,
                                                       const std::vector<double>& shifts,
                                                       const solve::Options& options) {
  State& s = *state_;
  copy_bytes_on_device(s.queue, s.image.reals().data, b.reals().data, b.bytes());
  fill_bytes(s.queue, s.right.reals().data, 0, s.right.bytes());
  s.apply(s.right.reals(), s.image.reals(), true);
  solve::ShiftedCg solver(
      s.queue,
      [&](Span<double> out, Span<const double> in) { return s.operators.whole_normal(out, in); },
      s.count(), shifts, &s.placed.ranks,
      [&s](double shift) -> solve::Operator<double> {
        return [&s, shift](Span<double> out, Span<const double> in) {
          return s.operators.shifted_normal(out, in, shift);
        };
      });
  std::vector<Span<double>> spans;
  for (const auto* field : x)
    spans.push_back(field->reals());
  auto solved = solver.solve(spans, s.right.reals(), options);
  solved.front() = s.of_all(solved.front());
  return solved;
}

} // namespace ridge::gauge
