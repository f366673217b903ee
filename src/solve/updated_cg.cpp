// Conjugate gradients in any numbers within double precision.
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::solve {

struct UpdatedCg::State {
  State(Queue& queue, Operator<double> a, std::unique_ptr<Inner> in, Index count)
      : work(queue, count), apply(std::move(a)), inner(std::move(in)),
        q(queue, count, "the operator's result") {}

  /// Iterates until |r|^2 <= target; how many, and what it is then.
  std::pair<Index, double> run(double r2, double target, Index most, const Options& options,
                               Index before, double source, bool& stopped) {
    Index done = 0;
    double rate = 0; // by which log |r|^2 falls an iteration
    while (r2 > target && done < most && !stopped) {
      const double foreseen = rate > 0 ? std::ceil(std::log(r2 / target) / rate) : 3;
      const auto few = static_cast<Index>(std::clamp(foreseen, 1.0, 10.0));
      const Index now = std::min(few, most - done);
      const double next = inner->iterate(now);
      rate = next > 0 ? std::max(0.0, std::log(r2 / next) / static_cast<double>(now)) : 0;
      r2 = next;
      done += now;
      stopped =
          options.go_on && !options.go_on({before + done, source > 0 ? std::sqrt(r2 / source) : 0});
    }
    return {done, r2};
  }

  Workspace work;
  Operator<double> apply;
  std::unique_ptr<Inner> inner;
  Vector<double> q;
};

UpdatedCg::UpdatedCg(Queue& queue, Operator<double> apply, std::unique_ptr<Inner> inner,
                     Index count)
    : state_(std::make_unique<State>(queue, std::move(apply), std::move(inner), count)) {}
UpdatedCg::~UpdatedCg() = default;

Solved UpdatedCg::solve(Span<double> x, Span<const double> b, const Options& options,
                        const Measure& measure) {
  State& state = *state_;
  Workspace& work = state.work;
  Inner& inner = *state.inner;
  Chain source, residual, collect;
  add_sum<Dot<double>, TakeSource>(source, work, {b, b});
  residual.add(state.apply(state.q.span(), x));
  add_sum<Begin<float, double>, TakeResidual>(
      residual, work, {b, state.q.span(), inner.residual(), inner.residual(), false});
  add_op(collect, work, Collect<double, float>{x, inner.solution()});

  const Stopwatch watch; // what was bound may have been compiled first
  Solved solved;
  work.set(target2, 0);
  source.run();
  work.ask(0);
  const double source_size = work.answer(0)[source2];
  double wanted = options.tolerance * options.tolerance * source_size;
  solved.bytes = source.bytes();
  Drop drop(1e-2, 1e-2); // to 1e-3 the direction is lost more often
  double before = -1, iterated = 0;
  bool lost = false;
  int tightened = 0;
  while (true) {
    residual.run();
    solved.bytes += residual.bytes();
    work.ask(0);
    const double measured = work.answer(0)[measured2];
    solved.residual = relative(work.answer(0), measured2);
    solved.broken = !(measured >= 0);
    solved.converged = measured <= wanted;
    const Index left = options.most_iterations - solved.iterations;
    if (solved.broken || solved.stopped || left <= 0) break;
    if (solved.converged) {
      const double there = measure && measured > 0 ? measure() : 0;
      if (!(there > 1) || ++tightened > 8) break;
      wanted *= std::pow(std::clamp(0.7 / there, 1e-3, 0.7), 2);
    }
    if (before >= 0) drop.note(measured, iterated);
    // An inner iteration whose residual is another, or that makes nothing better, has lost its
    // direction: a new one from r.
    const bool apart = before >= 0 && !(measured < 2 * iterated);
    const bool worse = before >= 0 && !(measured < 0.5 * before);
    if (worse && lost) {
      solved.broken = true;
      break;
    }
    lost = worse;
    inner.begin(before < 0 || apart || lost, measured);
    before = measured;
    const double target = std::max(wanted * 0.25, measured * drop.factor() * drop.factor());
    const auto [done, r2] =
        state.run(measured, target, left, options, solved.iterations, source_size, solved.stopped);
    iterated = r2;
    solved.iterations += done;
    solved.bytes += static_cast<double>(done) * inner.bytes() + collect.bytes();
    solved.flops += static_cast<double>(done) * inner.flops();
    ++solved.updates;
    inner.show();
    collect.run();
  }
  solved.seconds = watch.seconds();
  return solved;
}

} // namespace ridge::solve
