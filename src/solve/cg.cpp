// Conjugate gradients in double precision.
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

namespace ridge::solve {

struct Cg::State {
  State(Queue& queue, Operator<double> a, Index count)
      : work(queue, count), apply(std::move(a)), krylov(queue, count) {}
  Workspace work;
  Operator<double> apply;
  Krylov<double> krylov;
};

Cg::Cg(Queue& queue, Operator<double> apply, Index count)
    : state_(std::make_unique<State>(queue, std::move(apply), count)) {}
Cg::~Cg() = default;

Solved Cg::solve(Span<double> x, Span<const double> b, const Options& options) {
  const Stopwatch watch;
  Workspace& work = state_->work;
  const auto& k = state_->krylov;
  const Chain iteration = k.iteration(work, state_->apply, x);
  Chain source;
  add_sum<Dot<double>, TakeSource>(source, work, {b, b});
  Chain residual;
  residual.add(state_->apply(k.q.span(), x));
  add_sum<Begin<double>, TakeResidual>(residual, work, {b, k.q.span(), k.r.span(), k.p.span()});

  Solved solved;
  work.set(iterations, 0);
  work.set(broken, 0);
  work.set(target2, 0);
  source.run();
  work.ask(0);
  const double wanted = options.tolerance * options.tolerance * work.answer(0)[source2];
  work.set(target2, wanted);
  residual.run();
  solved.bytes = source.bytes() + residual.bytes();

  Options left = options;
  // The residual that the iteration has and the true one part: then it begins again from x.
  while (true) {
    work.ask(0);
    const double* const s = work.answer(0);
    solved.iterations = static_cast<Index>(s[iterations]);
    solved.broken = s[broken] != 0 || !(s[measured2] >= 0);
    solved.residual = relative(s, measured2);
    solved.converged = s[measured2] <= wanted;
    left.most_iterations = options.most_iterations - solved.iterations;
    if (solved.converged || solved.broken || solved.stopped || left.most_iterations <= 0) break;
    Batches batches(work, iteration, left);
    batches.run([&](const double* now) {
      solved.stopped = options.go_on && !options.go_on({static_cast<Index>(now[iterations]),
                                                        relative(now, residual2)});
      return !solved.stopped && now[ended] == 0;
    });
    solved.bytes += static_cast<double>(batches.given()) * iteration.bytes() + residual.bytes();
    solved.flops += static_cast<double>(batches.given()) * iteration.flops();
    residual.run();
  }
  solved.seconds = watch.seconds();
  return solved;
}

} // namespace ridge::solve
