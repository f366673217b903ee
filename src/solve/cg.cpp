// Conjugate gradients in double precision.
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

namespace ridge::solve {

struct Cg::State {
  State(Queue& queue, Operator<double> a, Index count, comm::Communicator* ranks)
      : work(queue, count, ranks), apply(std::move(a)), krylov(queue, count),
        best(queue, count, "the best solution") {}
  Workspace work;
  Operator<double> apply;
  Krylov<double> krylov;
  Vector<double> best;
  Forecast forecast{1};
};

Cg::Cg(Queue& queue, Operator<double> apply, Index count, comm::Communicator* ranks)
    : state_(std::make_unique<State>(queue, std::move(apply), count, ranks)) {}
Cg::~Cg() = default;

Solved Cg::solve(Span<double> x, Span<const double> b, const Options& options) {
  Workspace& work = state_->work;
  const auto& k = state_->krylov;
  work.set_reproducible(options.reproducible);
  const Start start(work, x, b);
  const Chain iteration = k.iteration(work, state_->apply, x);
  Chain residual;
  residual.add(state_->apply(k.q.span(), x));
  add_sum<Begin<double>, TakeResidual>(residual, work,
                                       {start.b(), k.q.span(), k.r.span(), k.p.span()});
  const Solved solved = run_to_the_end(work, start, x, state_->best.span(), iteration, residual,
                                       options, &state_->forecast);
  start.scale_back(x);
  return solved;
}

} // namespace ridge::solve
