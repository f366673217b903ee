// Conjugate gradients in single precision within double precision.
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

#include <algorithm>

namespace ridge::solve {

struct MixedCg::State {
  State(Queue& queue, Operator<double> a, Operator<float> in, Index count, double d,
        comm::Communicator* ranks)
      : work(queue, count, ranks), apply(std::move(a)), inner(std::move(in)), krylov(queue, count),
        part(queue, count, "the inner solution"), q(queue, count, "the operator's result"),
        drop(d) {}
  Workspace work;
  Operator<double> apply;
  Operator<float> inner;
  Krylov<float> krylov;
  Vector<float> part;
  Vector<double> q;
  double drop;
  Forecast forecast{1};
};

MixedCg::MixedCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
                 double drop, comm::Communicator* ranks)
    : state_(
          std::make_unique<State>(queue, std::move(apply), std::move(inner), count, drop, ranks)) {}
MixedCg::~MixedCg() = default;

Solved MixedCg::solve(Span<double> x, Span<const double> b, const Options& options) {
  Workspace& work = state_->work;
  const auto& k = state_->krylov;
  work.set_reproducible(options.reproducible);
  const Chain iteration = k.iteration(work, state_->inner, state_->part.span());
  Chain source;
  add_sum<Dot<double>, TakeSource>(source, work, {b, b});
  const auto residual_of = [&](bool sets_p) {
    Chain chain;
    chain.add(state_->apply(state_->q.span(), x));
    add_sum<Begin<float, double>, TakeResidual>(
        chain, work, {b, state_->q.span(), k.r.span(), k.p.span(), sets_p});
    return chain;
  };
  const Chain first = residual_of(true);
  const Chain again = residual_of(false);
  Chain collect;
  add_op(collect, work, Collect<double, float>{x, state_->part.span()});

  const Stopwatch watch; // what was bound may have been compiled first
  Solved solved;
  state_->part.clear(work.queue());
  work.set(iterations, 0);
  work.set(broken, 0);
  work.set(target2, 0);
  source.run();
  work.ask(0);
  const double wanted = options.tolerance * options.tolerance * work.answer(0)[source2];
  first.run();
  solved.bytes = source.bytes() + first.bytes();

  Batches batches(work, iteration, options, &state_->forecast);
  Drop drop(state_->drop);
  double before = -1, iterated = 0;
  while (true) {
    work.ask(0);
    const double* const s = work.answer(0);
    const double measured = s[measured2];
    solved.iterations = static_cast<Index>(s[iterations]);
    solved.broken = !(measured >= 0);
    solved.residual = relative(s, measured2);
    solved.converged = measured <= wanted;
    const Index left = options.most_iterations - solved.iterations;
    if (solved.converged || solved.broken || solved.stopped || left <= 0) break;
    // An inner iteration that makes nothing better has lost its direction: a new one from r.
    const bool lost = before >= 0 && !(measured < 0.5 * before);
    if (s[broken] != 0 && lost) {
      solved.broken = true;
      break;
    }
    if (before >= 0) drop.note(measured, iterated);
    if (lost || s[broken] != 0) {
      work.set(broken, 0);
      first.run();
      solved.bytes += first.bytes();
    }
    before = measured;
    work.set(target2, std::max(wanted * 0.25, measured * drop.factor() * drop.factor()));
    work.set(ended, 0);
    const Index given = batches.run(left, [&](const double* now) {
      iterated = now[residual2];
      solved.stopped = options.go_on && !options.go_on({static_cast<Index>(now[iterations]),
                                                        relative(now, residual2)});
      return !solved.stopped && now[ended] == 0;
    });
    solved.bytes +=
        static_cast<double>(given) * iteration.bytes() + collect.bytes() + again.bytes();
    solved.flops += static_cast<double>(given) * iteration.flops();
    collect.run();
    again.run();
    ++solved.updates;
  }
  solved.seconds = watch.seconds();
  return solved;
}

} // namespace ridge::solve
