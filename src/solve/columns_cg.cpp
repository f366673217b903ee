// Conjugate gradients of several right-hand sides at once.
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

#include <algorithm>
#include <cmath>
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
  double wanted = 0, measured = 0, before = -1, iterated = 0;
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

/// Columns of which each is as far as its scalars say.
class Columns {
public:
  explicit Columns(int number) : all_(static_cast<std::size_t>(number)) {}

  void want(const double* now, double tolerance) {
    each(now, [&](Column& c, const double* s) { c.wanted = tolerance * tolerance * s[source2]; });
  }
  /// Less than was wanted until now.
  void want_less(double by) {
    for (Column& c : all_) {
      c.wanted *= by * by;
      c.converged = c.measured <= c.wanted;
    }
  }
  /// Takes residuals that were computed anew; whether all must begin anew from them, since an inner
  /// iteration that makes nothing better has lost its direction.
  [[nodiscard]] bool take(const double* now, Drop& drop) {
    bool lost = false;
    double worst = -1; // |r|^2 as measured, in units of what the iteration had
    each(now, [&](Column& c, const double* s) {
      const bool ran = c.goes_on() && c.before >= 0;
      c.measured = s[measured2];
      c.converged = c.measured <= c.wanted;
      if (!(c.measured >= 0)) c.broken = true;
      if (ran && c.iterated > 0) worst = std::max(worst, c.measured / c.iterated);
      if (!c.goes_on()) return;
      const bool worse = c.before >= 0 && !(c.measured < 0.5 * c.before);
      if (s[broken] != 0 && worse) c.broken = true;
      lost = lost || (c.goes_on() && (worse || s[broken] != 0));
    });
    if (worst >= 0) drop.note(worst, 1);
    return lost;
  }
  [[nodiscard]] bool any_goes_on() const {
    return std::any_of(all_.begin(), all_.end(), [](const Column& c) { return c.goes_on(); });
  }
  [[nodiscard]] bool any_broken() const {
    return std::any_of(all_.begin(), all_.end(), [](const Column& c) { return c.broken; });
  }
  /// The largest residual in units of what is wanted.
  [[nodiscard]] double worst() const {
    double most = 0;
    for (const Column& c : all_)
      if (c.wanted > 0) most = std::max(most, std::sqrt(c.measured / c.wanted));
    return most;
  }
  /// True if the next run of iterations may be the last.
  [[nodiscard]] bool near_end(double drop) const {
    return std::all_of(all_.begin(), all_.end(), [drop](const Column& c) {
      return !c.goes_on() || c.measured * drop * drop <= c.wanted;
    });
  }
  /// Scalars that the next run of iterations begins with; drop 0: there are no inner ones.
  void set(double* now, double drop) {
    for (Column& c : all_) {
      c.before = c.measured;
      now[broken] = 0;
      now[ended] = c.goes_on() ? 0 : 1;
      now[target2] = std::max(c.wanted * (drop > 0 ? 0.25 : 1), c.measured * drop * drop);
      now += scalars;
    }
  }
  void iterate(const double* now) {
    each(now, [](Column& c, const double* s) { c.iterated = s[residual2]; });
  }
  [[nodiscard]] const Column& operator[](std::size_t c) const { return all_[c]; }

private:
  template <class F>
  void each(const double* now, const F& f) {
    for (Column& c : all_) {
      f(c, now);
      now += scalars;
    }
  }
  std::vector<Column> all_;
};

template <class T>
std::vector<Solved> solve_columns(Workspace& work, const Operator<double>& apply,
                                  const ColumnsInner<T>& inner, Span<double> q, Span<double> x,
                                  Span<const double> b, double first_drop, Forecast& forecast,
                                  const Options& options, const ColumnsCg::Measure& measure) {
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
  Columns columns(work.columns());
  std::vector<Solved> solved(n);
  Solved& all = solved.front();
  inner.part.clear(work.queue());
  std::vector<double> scalars_now(n * static_cast<std::size_t>(scalars), 0);
  work.set_all(scalars_now.data());
  source.run();
  work.ask(0);
  columns.want(work.answer(0), options.tolerance);
  first.run();
  all.bytes = source.bytes() + first.bytes();
  bool stopped = false, foreseen = false;
  const bool mixed = first_drop > 0;
  Drop drop(first_drop);
  int tightened = 0;
  Batches batches(work, iteration, options, &forecast);
  while (true) {
    work.ask(0);
    const double* now = work.answer(0);
    const bool lost = columns.take(now, drop);
    const double factor = mixed ? drop.factor() : 0;
    const Index left = options.most_iterations - progress_of(now, n).iterations;
    if (stopped || left <= 0) break;
    if (measure && tightened < 8 && !columns.any_broken() &&
        (!columns.any_goes_on() || (mixed && !foreseen && columns.near_end(factor)))) {
      const bool ends = !columns.any_goes_on();
      const double here = columns.worst();
      const double there = measure(); // here and there in units of what is wanted
      foreseen = true;
      if (ends && !(there > 1)) break;
      if (there > 0) {
        ++tightened;
        columns.want_less(std::clamp((ends ? 0.7 : here) / there, 1e-3, ends ? 0.7 : 1.0));
      }
    }
    if (!columns.any_goes_on()) break;
    if (lost) {
      first.run();
      all.bytes += first.bytes();
      work.ask(0);
      now = work.answer(0);
    }
    std::copy(now, now + scalars_now.size(), scalars_now.begin());
    columns.set(scalars_now.data(), factor);
    work.set_all(scalars_now.data());
    const Index given = batches.run(left, [&](const double* at) {
      columns.iterate(at);
      stopped = options.go_on && !options.go_on(progress_of(at, n));
      return !stopped && !all_ended(at, n);
    });
    all.bytes += static_cast<double>(given) * iteration.bytes() + collect.bytes() + again.bytes();
    all.flops += static_cast<double>(given) * iteration.flops();
    collect.run();
    again.run();
    for (Solved& one : solved)
      one.updates += mixed ? 1 : 0;
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
  State(Queue& queue, Operator<double> a, Index count, const GroupOrder& columns,
        comm::Communicator* ranks)
      : work(queue, count, columns, ranks), apply(std::move(a)),
        q(queue, count, "the operator's result") {}
  Workspace work;
  Operator<double> apply;
  Vector<double> q;
  double drop = 0;
  Forecast forecast{work.columns()};
  std::unique_ptr<ColumnsInner<double>> wide;
  std::unique_ptr<ColumnsInner<float>> narrow; ///< or this one
};

ColumnsCg::ColumnsCg(Queue& queue, Operator<double> apply, Index count, const GroupOrder& columns,
                     comm::Communicator* ranks)
    : state_(std::make_unique<State>(queue, std::move(apply), count, columns, ranks)) {
  state_->wide = std::make_unique<ColumnsInner<double>>(queue, state_->apply, count);
}
ColumnsCg::ColumnsCg(Queue& queue, Operator<double> apply, Operator<float> inner, Index count,
                     const GroupOrder& columns, double drop, comm::Communicator* ranks)
    : state_(std::make_unique<State>(queue, std::move(apply), count, columns, ranks)) {
  state_->drop = drop;
  state_->narrow = std::make_unique<ColumnsInner<float>>(queue, std::move(inner), count);
}
ColumnsCg::~ColumnsCg() = default;

std::vector<Solved> ColumnsCg::solve(Span<double> x, Span<const double> b, const Options& options,
                                     const Measure& measure) {
  State& s = *state_;
  s.work.set_reproducible(options.reproducible);
  const auto by = [&](const auto& inner) {
    return solve_columns(s.work, s.apply, inner, s.q.span(), x, b, s.drop, s.forecast, options,
                         measure);
  };
  return s.narrow ? by(*s.narrow) : by(*s.wide);
}

ColumnNorms::ColumnNorms(Queue& queue, Index count, const GroupOrder& columns,
                         comm::Communicator* ranks)
    : work_(queue, count, columns, ranks) {}

std::vector<double> ColumnNorms::operator()(Span<const double> x, bool reproducible) {
  work_.set_reproducible(reproducible);
  Chain sum;
  add_sum<Dot<double>, TakeSource>(sum, work_, {x, x});
  sum.run();
  work_.ask(0);
  std::vector<double> all;
  for (int c = 0; c < work_.columns(); ++c)
    all.push_back(scalars_of(work_.answer(0), static_cast<std::size_t>(c))[source2]);
  return all;
}

} // namespace ridge::solve
