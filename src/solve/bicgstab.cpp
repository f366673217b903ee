// BiCGStab in double precision.
#include <ridge/core/error.hpp>
#include <ridge/solve/bicgstab.hpp>
#include <ridge/solve/complex_ops.hpp>

#include "iteration.hpp"

namespace ridge::solve {

struct BiCgStab::State {
  State(Queue& queue, Operator<double> a, Index count)
      : work(queue, count), apply(std::move(a)), r(queue, count, "the residual"),
        r0(queue, count, "the first residual"), p(queue, count, "the direction"),
        v(queue, count, "A p"), t(queue, count, "A r"), best(queue, count, "the best solution") {}
  Workspace work;
  Operator<double> apply;
  Vector<double> r, r0, p, v, t, best;
};

BiCgStab::BiCgStab(Queue& queue, Operator<double> apply, Index count) {
  if (count % 2 != 0) throw UsageError("BiCGStab is for complex numbers: an even count of parts");
  state_ = std::make_unique<State>(queue, std::move(apply), count);
}
BiCgStab::~BiCgStab() = default;

Solved BiCgStab::solve(Span<double> x, Span<const double> b, const Options& options) {
  State& k = *state_;
  Workspace& work = k.work;
  const Start start(work, x, b);
  const Span<double> r = k.r.span(), r0 = k.r0.span(), p = k.p.span(), v = k.v.span(),
                     t = k.t.span();
  Chain iteration;
  iteration.add(k.apply(v, p));
  add_sum<ComplexDot, ChooseWeight>(iteration, work, {r0, v});
  add_op(iteration, work, StepHalf{v, r, work.s()});
  iteration.add(k.apply(t, r));
  add_sum<TwoDots, ChooseDamping>(iteration, work, {t, r});
  add_sum<StepBoth, ChooseMixing>(iteration, work, {p, t, r0, x, r, work.s()});
  add_op(iteration, work, StepBlend{r, v, p, work.s()});
  Chain residual;
  residual.add(k.apply(v, x));
  add_op(residual, work, Begin<double>{start.b(), v, r0, p, false});
  add_sum<Begin<double>, TakeShadow>(residual, work, {start.b(), v, r, p, true});
  const int patience = 20; // it begins anew where it breaks down, too
  const Solved solved = run_to_the_end(work, start, x, k.best.span(), iteration, residual, options,
                                       nullptr, patience);
  start.scale_back(x);
  return solved;
}

} // namespace ridge::solve
