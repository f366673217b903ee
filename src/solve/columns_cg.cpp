// Conjugate gradients of several right-hand sides at once.
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

#include <algorithm>
#include <limits>

namespace ridge::solve {

/// Iterations of either precision, whose solutions are added to those in double now and then.
template <class T>
struct ColumnsInner {
  ColumnsInner(Queue& queue, Operator<T> a, Index count)
      : apply(std::move(a)), krylov(queue, count), part(queue, count, "the inner solution") {}
  Operator<T> apply;
  Krylov<T> krylov;
  Vector<T> part;

  [[nodiscard]] Chain iteration(const Workspace& work) const {
    return krylov.iteration(work, apply, part.span());
  }
  /// r = b - q; `sets_p`: p begins anew.
  void add_residual(Chain& chain, const Workspace& work, Span<const double> b, Span<const double> q,
                    bool sets_p) const {
    add_sum<Begin<T, double>, TakeResidual>(chain, work,
                                            {b, q, krylov.r.span(), krylov.p.span(), sets_p});
  }
  void add_collect(Chain& chain, const Workspace& work, Span<double> x) const {
    add_op(chain, work, Collect<double, T>{x, part.span()});
  }
};

namespace {

/// What the host knows of a column.
struct Column {
  double wanted = 0, measured = 0, before = -1;
  bool converged = false, broken = false;
  [[nodiscard]] bool goes_on() const { return !converged && !broken; }
};

/// A column's scalars.
const double* scalars_of(const double* all, std::size_t column) {
  return all + column * static_cast<std::size_t>(scalars);
}

/// What iterations have done so far in the column that is furthest behind.
Progress progress_of(const double* all, std::size_t columns) {
  Progress now;
  for (std::size_t c = 0; c < columns; ++c) {
    const double* const s = scalars_of(all, c);
    now.iterations = std::max(now.iterations, static_cast<Index>(s[iterations]));
    now.residual = std::max(now.residual, relative(s, residual2));
  }
  return now;
}

bool all_ended(const double* all, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c)
    if (scalars_of(all, c)[ended] == 0) return false;
  return true;
}

template <class T>
std::vector<Solved> solve_columns(Workspace& work, const Operator<double>& apply,
                                  const ColumnsInner<T>& inner, Span<double> q, Span<double> x,
                                  Span<const double> b, double drop, const Options& options) {
  const auto n = static_cast<std::size_t>(work.columns());
  const Chain iteration = inner.iteration(work);
  Chain source, first, again, collect;
  add_sum<Dot<double>, TakeSource>(source, work, {b, b});
  for (Chain* const chain : {&first, &again}) {
    chain->add(apply(q, x));
    inner.add_residual(*chain, work, b, q, chain == &first);
  }
  inner.add_collect(collect, work, x);

  const Stopwatch watch; // what was bound may have been compiled first
  std::vector<Column> columns(n);
  std::vector<Solved> solved(n);
  Solved& all = solved.front();
  inner.part.clear(work.queue());
  std::vector<double> scalars_now(n * static_cast<std::size_t>(scalars), 0);
  work.set_all(scalars_now.data());
  source.run();
  work.ask(0);
  for (std::size_t c = 0; c < n; ++c) {
    columns[c].wanted =
        options.tolerance * options.tolerance * scalars_of(work.answer(0), c)[source2];
  }
  first.run();
  all.bytes = source.bytes() + first.bytes();
  bool stopped = false;
  Batches batches(work, iteration, options);
  while (true) {
    work.ask(0);
    const double* now = work.answer(0);
    bool lost = false;
    for (std::size_t c = 0; c < n; ++c) {
      const double* const s = scalars_of(now, c);
      Column& column = columns[c];
      column.measured = s[measured2];
      column.converged = column.measured <= column.wanted;
      if (!(column.measured >= 0)) column.broken = true;
      if (!column.goes_on()) continue;
      // An inner iteration that makes nothing better has lost its direction: all begin anew from r.
      const bool worse = column.before >= 0 && !(column.measured < 0.5 * column.before);
      if (s[broken] != 0 && worse) column.broken = true;
      lost = lost || (column.goes_on() && (worse || s[broken] != 0));
    }
    const Index left = options.most_iterations - progress_of(now, n).iterations;
    const bool any = std::any_of(columns.begin(), columns.end(),
                                 [](const Column& column) { return column.goes_on(); });
    if (!any || stopped || left <= 0) break;
    if (lost) {
      first.run();
      all.bytes += first.bytes();
      work.ask(0);
      now = work.answer(0);
    }
    std::copy(now, now + scalars_now.size(), scalars_now.begin());
    for (std::size_t c = 0; c < n; ++c) {
      double* const s = scalars_now.data() + c * static_cast<std::size_t>(scalars);
      Column& column = columns[c];
      column.before = column.measured;
      s[broken] = 0;
      s[ended] = column.goes_on() ? 0 : 1;
      s[target2] = std::max(column.wanted * (drop > 0 ? 0.25 : 1), column.measured * drop * drop);
    }
    work.set_all(scalars_now.data());
    const Index given = batches.run(left, [&](const double* at) {
      stopped = options.go_on && !options.go_on(progress_of(at, n));
      return !stopped && !all_ended(at, n);
    });
    all.bytes += static_cast<double>(given) * iteration.bytes() + collect.bytes() + again.bytes();
    all.flops += static_cast<double>(given) * iteration.flops();
    collect.run();
    again.run();
    for (Solved& one : solved)
      one.updates += drop > 0 ? 1 : 0;
  }
  for (std::size_t c = 0; c < n; ++c) {
    const double* const s = scalars_of(work.answer(0), c);
    solved[c].iterations = static_cast<Index>(s[iterations]);
    solved[c].residual = relative(s, measured2);
    solved[c].converged = columns[c].converged;
    solved[c].broken = columns[c].broken;
    solved[c].stopped = stopped;
  }
  all.seconds = watch.seconds();
  return solved;
}

} // namespace

struct ColumnsCg::State {
  State(Queue& queue, Operator<double> a, Index count, const GroupOrder& columns)
      : work(queue, count, columns), apply(std::move(a)), q(queue, count, "the operator's result") {
  }
  Workspace work;
  Operator<double> apply;
  Vector<double> q;
  double drop = 0;
  std::unique_ptr<ColumnsInner<double>> wide;
  std::unique_ptr<ColumnsInner<float>> narrow; ///< or this one
};

ColumnsCg::ColumnsCg(Queue& queue, Operator<double> apply, Index count, const GroupOrder& columns)
    : state_(std::make_unique<State>(queue, std::move(apply), count, columns)) {
  state_->wide = std::make_unique<ColumnsInner<double>>(queue, state_->apply, count);
}
ColumnsCg::ColumnsCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
                     const GroupOrder& columns, double drop)
    : state_(std::make_unique<State>(queue, std::move(apply), count, columns)) {
  state_->drop = drop;
  state_->narrow = std::make_unique<ColumnsInner<float>>(queue, std::move(inner), count);
}
ColumnsCg::~ColumnsCg() = default;

std::vector<Solved> ColumnsCg::solve(Span<double> x, Span<const double> b, const Options& options) {
  State& s = *state_;
  if (s.narrow) return solve_columns(s.work, s.apply, *s.narrow, s.q.span(), x, b, s.drop, options);
  return solve_columns(s.work, s.apply, *s.wide, s.q.span(), x, b, s.drop, options);
}

std::vector<double> ColumnsCg::norms2(Span<const double> x) {
  Workspace& work = state_->work;
  Chain sum;
  add_sum<Dot<double>, TakeSource>(sum, work, {x, x});
  sum.run();
  work.ask(0);
  std::vector<double> all;
  for (int c = 0; c < work.columns(); ++c)
    all.push_back(scalars_of(work.answer(0), static_cast<std::size_t>(c))[source2]);
  return all;
}

} // namespace ridge::solve
