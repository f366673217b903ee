// Conjugate gradients for several shifts at once.
#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::solve {

struct ShiftedCg::State {
  State(Queue& queue, Operator<double> a, Index n, std::vector<double> s, comm::Communicator* r)
      : work(queue, n, r), ranks(r), apply(std::move(a)), count(n), shifts(std::move(s)),
        krylov(queue, n), seed(queue, n, "the solution"), sigma(queue, number(), "shifts"),
        zeta(queue, number(), "shifts"), before(queue, number(), "shifts"),
        last_step(queue, number(), "shifts"), last_turn(queue, number(), "shifts"),
        shift_step(queue, number(), "shifts"), shift_turn(queue, number(), "shifts") {
    for (std::size_t i = 0; i < shifts.size(); ++i)
      directions.emplace_back(queue, n, "the direction");
  }
  [[nodiscard]] Index number() const { return static_cast<Index>(shifts.size()); }
  void set(const Vector<double>& numbers, const std::vector<double>& values) const {
    copy_to_device(work.queue(), numbers.span().data, values.data(), number());
    work.queue().wait();
  }
  void begin(const std::vector<Span<double>>& x, Span<const double> b) const {
    const std::vector<double> ones(shifts.size(), 1);
    std::vector<double> apart = shifts;
    for (double& shift : apart)
      shift -= least();
    set(sigma, apart);
    for (const auto* numbers : {&zeta, &before, &last_step})
      set(*numbers, ones);
    last_turn.clear(work.queue());
    seed.clear(work.queue());
    const Bytes bytes{count * static_cast<Index>(sizeof(double))};
    for (std::size_t i = 0; i < x.size(); ++i)
      copy_bytes_on_device(work.queue(), directions[i].span().data, b.data, bytes);
  }
  /// The iterations are those of A + the least shift, which takes most of them.
  [[nodiscard]] double least() const { return *std::min_element(shifts.begin(), shifts.end()); }
  [[nodiscard]] Chain iteration(const std::vector<Span<double>>& x) const {
    Chain chain = krylov.begin_iteration(work, least() > 0 ? shifted(least()) : apply);
    chain.add(
        work.bind_few(StepShifts{sigma.span(), zeta.span(), before.span(), last_step.span(),
                                 last_turn.span(), shift_step.span(), shift_turn.span(), work.s()},
                      number()),
        0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      add_op(chain, work,
             StepShifted{krylov.r.span(), x[i], directions[i].span(), zeta.span(),
                         shift_step.span(), shift_turn.span(), work.s(), static_cast<int>(i)});
    }
    add_op(chain, work,
           StepDirection<double>{krylov.r.span(), seed.span(), krylov.p.span(), work.s()});
    return chain;
  }
  /// (A + shift) of a vector.
  [[nodiscard]] Operator<double> shifted(double shift) const {
    if (given_shifted) return given_shifted(shift);
    return [this, shift](Span<double> out, Span<const double> in) {
      std::vector<Program> programs = apply(out, in);
      programs.emplace_back(work.queue(), work.bind(AddShift{out, in, shift}),
                            [] { return Record{}; });
      return programs;
    };
  }

  Workspace work;
  comm::Communicator* ranks;
  Operator<double> apply;
  Shifted given_shifted;
  Index count;
  std::vector<double> shifts;
  Krylov<double> krylov;
  Vector<double> seed, sigma, zeta, before, last_step, last_turn, shift_step, shift_turn;
  std::vector<Vector<double>> directions;
};

ShiftedCg::ShiftedCg(Queue& queue, Operator<double> apply, Index count, std::vector<double> shifts,
                     comm::Communicator* ranks, Shifted shifted) {
  if (shifts.empty()) throw UsageError("conjugate gradients with shifts were given none");
  for (const double shift : shifts) {
    if (!(shift >= 0) || !std::isfinite(shift))
      throw UsageError("a shift of conjugate gradients is a number of at least 0");
  }
  if (ranks != nullptr && ranks->ranks() > 1 && !shifted)
    throw UsageError("over ranks conjugate gradients with shifts take A + shift, too");
  state_ = std::make_unique<State>(queue, std::move(apply), count, std::move(shifts), ranks);
  state_->given_shifted = std::move(shifted);
}
ShiftedCg::~ShiftedCg() = default;

std::vector<Solved> ShiftedCg::solve(const std::vector<Span<double>>& x, Span<const double> b,
                                     const Options& options) {
  State& state = *state_;
  if (x.size() != state.shifts.size())
    throw UsageError("conjugate gradients with shifts take a vector for each");
  const Stopwatch watch;
  Workspace& work = state.work;
  const auto& k = state.krylov;
  for (const Span<double>& one : x)
    clear(work, one);
  const Start start(work, x.front(), b);
  state.begin(x, start.b());
  const Chain iteration = state.iteration(x);
  Chain first; // r = p = b
  k.q.clear(work.queue());
  add_sum<Begin<double>, TakeResidual>(first, work,
                                       {start.b(), k.q.span(), k.r.span(), k.p.span()});
  Solved all;
  work.ask(0);
  // A little less: what is recomputed is a little more.
  const double wanted = options.tolerance * options.tolerance * work.answer(0)[source2];
  work.set(target2, 0.25 * wanted);
  first.run();
  Batches batches(work, iteration, options);
  const Index given = batches.run(options.most_iterations, [&](const double* now) {
    all.stopped = options.go_on &&
                  !options.go_on({static_cast<Index>(now[iterations]), relative(now, residual2)});
    return !all.stopped && now[ended] == 0;
  });
  work.ask(0);
  const double* const s = work.answer(0);
  all.iterations = static_cast<Index>(s[iterations]);
  all.broken = s[broken] != 0;
  all.bytes = start.bytes() + first.bytes() + static_cast<double>(given) * iteration.bytes();
  all.flops = static_cast<double>(given) * iteration.flops();

  std::vector<Solved> solved;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Options rest = options;
    rest.most_iterations = all.stopped ? 0 : options.most_iterations - all.iterations;
    Cg alone(work.queue(), state.shifted(state.shifts[i]), state.count, state.ranks);
    Solved one = alone.solve(x[i], start.b(), rest); // none where it is small enough already
    start.scale_back(x[i]);
    one.iterations += all.iterations;
    one.stopped = one.stopped || all.stopped;
    one.broken = !one.converged && (one.broken || all.broken);
    solved.push_back(one);
  }
  solved.front().bytes += all.bytes;
  solved.front().flops += all.flops;
  for (std::size_t i = 1; i < x.size(); ++i) {
    solved.front().bytes += solved[i].bytes;
    solved.front().flops += solved[i].flops;
    solved[i].bytes = solved[i].flops = 0;
    solved[i].seconds = {};
  }
  solved.front().seconds = watch.seconds();
  return solved;
}

} // namespace ridge::solve
