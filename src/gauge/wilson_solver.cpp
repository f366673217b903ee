// D x = b for the Wilson operator.
#include <ridge/device/generate.hpp>
#include <ridge/gauge/one_parity.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>

#include "to_tolerance.hpp"

#include <cmath>

namespace ridge::gauge {

namespace {

/// Vectors of 8 complex numbers in both precisions: then they lie alike, number by number.
constexpr int width_of_doubles = 128;
constexpr int width_of_floats = 64;

bool all_even(const Extents& extents) {
  bool even = true;
  for (int d = 0; d < 4; ++d)
    even = even && extents[d] % 2 == 0;
  return even;
}

} // namespace

namespace detail {

/// D, or where all extents are even its Schur complement on even sites, on spans that lie as
/// fermions of the links' lattice. Odd sites of the result are left as they are: 0 in a solver's
/// vectors.
template <class T>
class Operators {
public:
  Operators(Queue& queue, const Links<T>& links, const WilsonNumbers& numbers)
      : queue_(queue), links_(links), numbers_(numbers),
        even_odd_(all_even(links.front().lattice().extents())),
        odd_(queue.device(), links.front().lattice(), "H psi"),
        between_(queue.device(), links.front().lattice(), "D psi") {
    fill_bytes(queue, odd_.reals().data, 0, odd_.bytes());
    fill_bytes(queue, between_.reals().data, 0, between_.bytes());
  }
  [[nodiscard]] bool even_odd() const { return even_odd_; }

  /// out = A in, or A^+ in.
  void add(std::vector<Program>& programs, Span<T> out, Span<const T> in, bool dagger) const {
    const double d = numbers_.diagonal;
    const double h = numbers_.hop;
    if (!even_odd_) {
      programs.emplace_back(queue_, whole(out, in, dagger));
      return;
    }
    programs.emplace_back(queue_, parity(1, odd_.reals(), 0, in, 1, in, dagger));
    programs.emplace_back(queue_, parity(0, out, d, in, -h * h / d, odd_.reals(), dagger));
  }
  [[nodiscard]] std::vector<Program> apply(Span<T> out, Span<const T> in) const {
    std::vector<Program> programs;
    add(programs, out, in, false);
    return programs;
  }
  /// out = A^+ A in.
  [[nodiscard]] std::vector<Program> normal(Span<T> out, Span<const T> in) const {
    std::vector<Program> programs;
    add(programs, between_.reals(), in, false);
    add(programs, out, between_.reals(), true);
    return programs;
  }
  /// out = diagonal here + hop H psi on the sites of a parity.
  [[nodiscard]] lattice::SiteLoopCall<Spinor<T>, OneParity<T>>
  parity(int which, Span<T> out, double diagonal, Span<const T> here, double hop, Span<const T> psi,
         bool dagger = false) const {
    const lattice::Geometry& like = odd_.geometry();
    OneParity<T> kernel;
    set(kernel, out, psi, dagger);
    kernel.here = {here, like};
    kernel.diagonal = static_cast<T>(diagonal);
    kernel.hop = static_cast<T>(hop);
    kernel.parity = which;
    return {kernel.out, kernel, lattice::Subset::all};
  }

private:
  [[nodiscard]] lattice::SiteLoopCall<Spinor<T>, Wilson<T>> whole(Span<T> out, Span<const T> in,
                                                                  bool dagger) const {
    Wilson<T> kernel;
    set(kernel, out, in, dagger);
    kernel.diagonal = static_cast<T>(numbers_.diagonal);
    kernel.hop = static_cast<T>(numbers_.hop);
    return {kernel.out, kernel, lattice::Subset::all};
  }
  template <class Kernel>
  void set(Kernel& kernel, Span<T> out, Span<const T> psi, bool dagger) const {
    for (std::size_t mu = 0; mu < 4; ++mu)
      kernel.links[mu] = links_[mu].view();
    kernel.psi = {psi, odd_.geometry()};
    kernel.out = {out, odd_.geometry()};
    kernel.sign = dagger ? T(-1) : T(1);
  }

  Queue& queue_;
  const Links<T>& links_;
  WilsonNumbers numbers_;
  bool even_odd_;
  Fermion<T> odd_, between_;
};

template <class T>
solve::Operator<T> normal_of(const Operators<T>& operators) {
  return [&operators](Span<T> out, Span<const T> in) { return operators.normal(out, in); };
}

} // namespace detail

using detail::normal_of;
using detail::Operators;

struct WilsonSolver::State {
  State(Queue& q, const Extents& extents, const HostLinks& host, const WilsonNumbers& n,
        const Boundary& boundary, Method method)
      : queue(q), lattice(extents, width_of_doubles), numbers(n),
        links(with_boundary(q, to_device<double>(q, lattice, host), boundary)),
        operators(q, links, n), right(q.device(), lattice, "the right-hand side"),
        image(q.device(), lattice, "D x") {
    const Index count = lattice.sites() * lattice::reals_of<Spinor<double>>;
    if (method == Method::bicgstab) {
      direct = std::make_unique<solve::BiCgStab>(
          q, [this](Span<double> out, Span<const double> in) { return operators.apply(out, in); },
          count);
      return;
    }
    if (method == Method::cg) {
      exact = std::make_unique<solve::Cg>(q, normal_of(operators), count);
      return;
    }
    const lattice::Lattice half(extents, width_of_floats);
    narrow_links = with_boundary(q, to_device<float>(q, half, host), boundary);
    narrow = std::make_unique<Operators<float>>(q, narrow_links, n);
    mixed = std::make_unique<solve::MixedCg>(q, normal_of(operators), normal_of(*narrow), count);
  }

  /// The right-hand side of what is solved for the source b.
  void take(const Fermion<double>& b) {
    const Fermion<double>& first = direct ? right : image;
    copy_bytes_on_device(queue, first.reals().data, b.reals().data, b.bytes());
    if (operators.even_odd()) {
      fill_bytes(queue, first.reals().data, 0, first.bytes());
      run_once(queue, operators.parity(0, first.reals(), 1, b.reals(),
                                       -numbers.hop / numbers.diagonal, b.reals()));
    }
    if (direct) return;
    fill_bytes(queue, right.reals().data, 0, right.bytes());
    std::vector<Program> programs;
    operators.add(programs, right.reals(), first.reals(), true);
    for (const Program& program : programs)
      program.run();
  }
  /// The odd sites of x, of its even ones.
  void complete(const Fermion<double>& x, const Fermion<double>& b) {
    if (!operators.even_odd()) return;
    const double d = numbers.diagonal;
    run_once(queue, operators.parity(1, x.reals(), 1 / d, b.reals(), -numbers.hop / d, x.reals()));
  }

  solve::Solved inner(const Fermion<double>& x, const solve::Options& options) {
    if (direct) return direct->solve(x.reals(), right.reals(), options);
    return exact ? exact->solve(x.reals(), right.reals(), options)
                 : mixed->solve(x.reals(), right.reals(), options);
  }

  Queue& queue;
  lattice::Lattice lattice;
  WilsonNumbers numbers;
  Links<double> links;
  Operators<double> operators;
  Links<float> narrow_links;
  std::unique_ptr<Operators<float>> narrow;
  Fermion<double> right, image;
  std::unique_ptr<solve::BiCgStab> direct;
  std::unique_ptr<solve::Cg> exact;
  std::unique_ptr<solve::MixedCg> mixed;
};

WilsonSolver::WilsonSolver(Queue& queue, const Extents& extents, const HostLinks& links,
                           const WilsonNumbers& numbers, const Boundary& boundary, Method method)
    : state_(std::make_unique<State>(queue, extents, links, numbers, boundary, method)) {}
WilsonSolver::~WilsonSolver() = default;

const lattice::Lattice& WilsonSolver::lattice() const {
  return state_->lattice;
}
const Links<double>& WilsonSolver::links() const {
  return state_->links;
}

void WilsonSolver::apply(const Fermion<double>& out, const Fermion<double>& x, bool dagger) {
  run_once(state_->queue, wilson_call(out, state_->links, x, state_->numbers, dagger));
}

double WilsonSolver::residual(const Fermion<double>& x, const Fermion<double>& b) {
  Queue& queue = state_->queue;
  run_once(queue, wilson_call(state_->image, state_->links, x, state_->numbers));
  const double size = norm2(queue, b);
  const double rest = axpy_norm(queue, state_->image, -1, state_->image, b);
  return size > 0 ? std::sqrt(rest / size) : std::sqrt(rest);
}

solve::Solved WilsonSolver::solve(const Fermion<double>& x, const Fermion<double>& b,
                                  const solve::Options& options) {
  state_->take(b);
  return detail::to_tolerance(
      options,
      [&](const solve::Options& inner) {
        const solve::Solved part = state_->inner(x, inner);
        state_->complete(x, b);
        return part;
      },
      [&] { return residual(x, b); });
}

} // namespace ridge::gauge
