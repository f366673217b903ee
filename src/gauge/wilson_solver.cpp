// D x = b for the Wilson operator.
#include <ridge/device/generate.hpp>
#include <ridge/gauge/wilson_solver.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/reduce.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::gauge {

namespace {

/// Vectors of 8 complex numbers in both precisions: then they lie alike, number by number.
constexpr int width_of_doubles = 128;
constexpr int width_of_floats = 64;

/// D, or D^+, on spans that lie as `like` does.
template <class T>
lattice::SiteLoopCall<Spinor<T>, Wilson<T>> wilson_on(const lattice::Geometry& like, Span<T> out,
                                                      const Links<T>& links, Span<const T> in,
                                                      const WilsonNumbers& numbers, bool dagger) {
  Wilson<T> kernel;
  for (std::size_t mu = 0; mu < 4; ++mu)
    kernel.links[mu] = links[mu].view();
  kernel.psi = {in, like};
  kernel.out = {out, like};
  kernel.diagonal = static_cast<T>(numbers.diagonal);
  kernel.hop = static_cast<T>(numbers.hop);
  kernel.sign = dagger ? T(-1) : T(1);
  return {kernel.out, kernel, lattice::Subset::all};
}

} // namespace

template <class T>
solve::Operator<T> wilson_normal(Queue& queue, const Links<T>& links,
                                 const WilsonNumbers& numbers) {
  auto between = std::make_shared<Fermion<T>>(queue.device(), links.front().lattice(), "D psi");
  return [&queue, &links, numbers, between](Span<T> out, Span<const T> in) {
    const lattice::Geometry& like = between->geometry();
    const Span<const T> half = between->reals();
    std::vector<Program> programs;
    programs.emplace_back(queue, wilson_on<T>(like, between->reals(), links, in, numbers, false));
    programs.emplace_back(queue, wilson_on<T>(like, out, links, half, numbers, true));
    return programs;
  };
}
template solve::Operator<float> wilson_normal(Queue&, const Links<float>&, const WilsonNumbers&);
template solve::Operator<double> wilson_normal(Queue&, const Links<double>&, const WilsonNumbers&);

struct WilsonSolver::State {
  State(Queue& q, const Extents& extents, const HostLinks& host, const WilsonNumbers& n,
        const Boundary& boundary, Method method)
      : queue(q), lattice(extents, width_of_doubles), numbers(n),
        links(with_boundary(q, to_device<double>(q, lattice, host), boundary)),
        source(q.device(), lattice, "D^+ b"), image(q.device(), lattice, "D x") {
    const Index count = lattice.sites() * lattice::reals_of<Spinor<double>>;
    if (method == Method::bicgstab) {
      direct = std::make_unique<solve::BiCgStab>(
          q,
          [this](Span<double> out, Span<const double> in) {
            std::vector<Program> programs;
            programs.emplace_back(
                queue, wilson_on<double>(source.geometry(), out, links, in, numbers, false));
            return programs;
          },
          count);
      return;
    }
    if (method == Method::cg) {
      exact = std::make_unique<solve::Cg>(q, wilson_normal<double>(q, links, n), count);
      return;
    }
    const lattice::Lattice half(extents, width_of_floats);
    narrow = with_boundary(q, to_device<float>(q, half, host), boundary);
    mixed = std::make_unique<solve::MixedCg>(q, wilson_normal<double>(q, links, n),
                                             wilson_normal<float>(q, narrow, n), count);
  }

  solve::Solved inner(const Fermion<double>& x, const Fermion<double>& b,
                      const solve::Options& options) {
    if (direct) return direct->solve(x.reals(), b.reals(), options);
    return exact ? exact->solve(x.reals(), source.reals(), options)
                 : mixed->solve(x.reals(), source.reals(), options);
  }

  Queue& queue;
  lattice::Lattice lattice;
  WilsonNumbers numbers;
  Links<double> links;
  Links<float> narrow;
  Fermion<double> source, image;
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
  if (!state_->direct)
    run_once(state_->queue, wilson_call(state_->source, state_->links, b, state_->numbers, true));
  solve::Solved all;
  solve::Options inner = options;
  // |D^+ (b - D x)| is what the iteration sees; |b - D x| may be larger by D's condition.
  for (int attempt = 0; attempt < 8; ++attempt) {
    const solve::Solved part = state_->inner(x, b, inner);
    const double rest = residual(x, b);
    all.iterations += part.iterations;
    all.updates += part.updates;
    all.bytes += part.bytes;
    all.flops += part.flops;
    all.seconds.value += part.seconds.value;
    all.residual = rest;
    all.stopped = part.stopped;
    all.broken = part.broken;
    all.converged = rest <= options.tolerance;
    inner.most_iterations = options.most_iterations - all.iterations;
    if (all.converged || !part.converged || inner.most_iterations <= 0) break;
    inner.tolerance *= std::clamp(0.7 * options.tolerance / rest, 1e-3, 0.7);
  }
  return all;
}

} // namespace ridge::gauge
