// Conjugate gradients whose residual is computed anew in double after runs of iterations: of one
// right-hand side or several, each with scalars of its own.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/solve/cg.hpp>

#include "iteration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace ridge::solve {

/// Runs that make nothing better, after which a column is given up.
inline constexpr int given_up = 2;

/// What the host knows of a column.
struct Column {
  double wanted = 0, measured = 0, before = -1;
  double began = 0; ///< iterations before this run
  double pace = 0;  ///< iterations a decade, in the run before
  int lost = 0;     ///< runs, one after the other, that made little or nothing better
  /// The most iterations a decade of a run so far, and the fewest of a later one.
  double slowest = 0, quickest = 0;
  bool converged = false, anew = true, broken = false;
  bool worse = false, better = false; ///< than the best, after this run
  /// The residual falls no further in these numbers, or there is none.
  [[nodiscard]] bool spent() const { return broken || lost >= given_up; }
  [[nodiscard]] bool goes_on() const { return !converged && !spent(); }
  /// Whether so many iterations a decade fall behind again, after they were fewer.
  [[nodiscard]] bool falls_behind(double now) const {
    return quickest < 0.7 * slowest && now > 3 * quickest;
  }
  /// So near the end that double, which begins along the residual, would take longer.
  [[nodiscard]] bool is_near(double r2) const { return r2 <= 100 * wanted; }
  /// Takes the pace of a run. True where its numbers lose what iterations in double would have:
  /// their pace, or their direction, where `kept`, (r, p) / |r|^2 after it, is further from 1 than
  /// `astray`. A pace of `far` that has grown to three times came by a mode which they lose again.
  [[nodiscard]] bool loses(double kept, double astray, double far) {
    const bool far_from_end = !is_near(measured);
    const bool again = falls_behind(pace);
    if (pace > slowest) slowest = quickest = pace;
    quickest = std::min(quickest, pace);
    const bool taken = slowest > far && 3 * quickest < slowest;
    return (far_from_end && (again || taken)) || !(std::abs(kept - 1) < astray);
  }
};

/// What iterations have done so far in the column that is furthest behind.
inline Progress progress_of(const double* all, std::size_t columns) {
  Progress now;
  for (std::size_t c = 0; c < columns; ++c) {
    const double* const s = scalars_of(all, c);
    now.iterations = std::max(now.iterations, static_cast<Index>(s[iterations]));
    now.residual = std::max(now.residual, relative(s, residual2));
  }
  return now;
}

inline bool all_ended(const double* all, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c)
    if (scalars_of(all, c)[ended] == 0) return false;
  return true;
}

/// Columns of which each is as far as its scalars say.
class Columns {
public:
  /// `astray`: how far (r, p) / |r|^2 may be from 1 before double takes over; 0: they are in
  /// double. `far`: iterations a decade that they take no mode of.
  Columns(int number, double astray, double far)
      : all_(static_cast<std::size_t>(number)), astray_(astray), far_(far) {}

  void want(const double* now, double tolerance) {
    each(now, [&](Column& c, const double* s) {
      c.broken = !std::isfinite(s[source2]);
      c.wanted = c.broken ? -1 : tolerance * tolerance * s[source2];
    });
  }
  /// Less than was wanted until now, where a residual that this one stands for is larger: `there`
  /// has it for each column, in units of what is wanted. Whether any wants less.
  [[nodiscard]] bool want_less(const std::vector<double>& there) {
    const bool ends = !any_goes_on();
    bool less = false;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Column& c = all_[i];
      if (c.spent() || !(c.wanted > 0) || !(there[i] > (c.converged ? 1 : 0))) continue;
      const double by = c.converged ? std::clamp(0.7 / there[i], 1e-3, 0.7) : 1 / there[i];
      c.wanted = std::min(c.wanted, c.measured * by * by);
      c.converged = c.measured <= c.wanted;
      less = true;
    }
    return less || !ends;
  }
  /// Takes residuals that were computed anew after a run of iterations. One that made nothing
  /// better has lost its direction: the next begins along the residual.
  void take(const double* now, Drop& drop) {
    double worst = -1; // |r|^2 as measured, in units of what the iteration had
    each(now, [&](Column& c, const double* s) {
      const bool first = c.before < 0;
      const bool ran = c.goes_on() && !first;
      c.worse = (first || ran) && s[worse] != 0;
      c.better = s[better] != 0;
      c.measured = s[measured2];
      c.converged = c.measured <= c.wanted;
      if (!ran) return;
      c.pace = pace_of(s[iterations] - c.began, c.before, s[iterated2]);
      if (s[iterated2] > 0) worst = std::max(worst, c.measured / s[iterated2]);
      if (!(c.measured >= 0)) worst = std::numeric_limits<double>::infinity();
      c.lost = c.measured < 0.5 * c.before ? 0 : c.lost + 1;
      if (astray_ > 0 && c.loses(s[along] / c.measured, astray_, far_)) c.lost = given_up;
      c.anew = c.lost > 0 || s[broken] != 0 || !std::isfinite(s[along]);
    });
    if (worst >= 0) drop.note(worst, 1);
    give_up_together();
  }
  [[nodiscard]] bool any_worse() const {
    return std::any_of(all_.begin(), all_.end(), [](const Column& c) { return c.worse; });
  }
  /// Takes residuals of what was kept before.
  void take_again(const double* now) {
    each(now, [](Column& c, const double* s) {
      c.measured = s[measured2];
      c.converged = c.measured <= c.wanted;
      if (!(c.measured >= 0)) c.broken = true;
    });
  }
  [[nodiscard]] bool any_goes_on() const {
    return std::any_of(all_.begin(), all_.end(), [](const Column& c) { return c.goes_on(); });
  }
  /// How far all of them fall in the next run.
  [[nodiscard]] double factor(const Drop& drop) const {
    double slowest = 0;
    for (const Column& c : all_)
      if (c.goes_on()) slowest = std::max(slowest, c.pace);
    return drop.factor_at(slowest);
  }
  /// True if the next run of iterations may be the last.
  [[nodiscard]] bool near_end(double drop) const {
    return std::all_of(all_.begin(), all_.end(), [drop](const Column& c) {
      return !c.goes_on() || c.measured * drop * drop <= c.wanted;
    });
  }
  /// True where iterations are so slow that residuals are computed anew before their targets.
  [[nodiscard]] bool far_enough(const double* now, const Drop& drop) const {
    for (const Column& c : all_) {
      if (now[ended] == 0) {
        const double factor =
            drop.factor_at(pace_of(now[iterations] - c.began, c.before, now[residual2]));
        if (!(now[residual2] <= c.before * factor * factor)) return false;
      }
      now += scalars;
    }
    return true;
  }
  /// True where one falls behind, in as many iterations as show it.
  [[nodiscard]] bool any_falls_behind(const double* now) const {
    bool any = false;
    for (const Column& c : all_) {
      const double done = now[iterations] - c.began;
      if (now[ended] == 0 && done > 3 * c.quickest && !c.is_near(now[residual2]))
        any = any || c.falls_behind(pace_of(done, c.before, now[residual2]));
      now += scalars;
    }
    return any;
  }
  /// Scalars that the next run of iterations begins with; drop 0: there are no inner ones.
  void set(double* now, double drop) {
    for (Column& c : all_) {
      c.before = c.measured;
      c.began = now[iterations];
      now[broken] = 0;
      now[better] = c.better ? 1 : 0; // another column's residuals may have been taken again
      now[ended] = c.goes_on() ? 0 : 1;
      now[fresh] = c.anew ? 1 : 0;
      if (c.anew) now[along] = now[residual2];
      c.anew = false;
      now[target2] = std::max(c.wanted * (drop > 0 ? 0.25 : 1), c.measured * drop * drop);
      now += scalars;
    }
  }
  [[nodiscard]] const Column& operator[](std::size_t c) const { return all_[c]; }

private:
  /// An iteration takes its time for one column or all: where those that double waits for are half
  /// of them, the others go there, too.
  void give_up_together() {
    std::ptrdiff_t waiting = 0, going = 0;
    for (const Column& c : all_) {
      waiting += !c.converged && !c.broken && c.spent() ? 1 : 0;
      going += c.goes_on() ? 1 : 0;
    }
    if (astray_ == 0 || waiting < std::max<std::ptrdiff_t>(going, 1)) return;
    for (Column& c : all_)
      if (c.goes_on()) c.lost = given_up;
  }
  template <class F>
  void each(const double* now, const F& f) {
    for (Column& c : all_) {
      f(c, now);
      now += scalars;
    }
  }
  std::vector<Column> all_;
  double astray_, far_;
};

/// Memory beside the iteration's own.
struct Beside {
  Span<double> q, best;
};

/// Solves by runs of iterations in numbers of any kind, after each of which residuals are computed
/// anew. `inner`: begin(), residual(b, q), direction(scalars), run(most, look), collect(x, best),
/// overlap(); bytes() and flops() of an iteration. `first_drop` 0: they are in double.
template <class Inner>
std::vector<Solved> solve_by_updates(Workspace& work, const Operator<double>& apply, Inner& inner,
                                     const Beside& beside, Span<double> x, Span<const double> b,
                                     Drop drop, const Options& options, const Measure& measure) {
  const auto n = static_cast<std::size_t>(work.columns());
  const bool mixed = drop.factor() > 0;
  const Start start(work, x, b);
  const Chain residual = inner.residual(start.b(), beside.q),
              collect = inner.collect(x, beside.best);
  Chain image, back;
  image.add(apply(beside.q, x));
  add_op(back, work, TakeBest{beside.best, x, work.s()});

  const Stopwatch watch; // what was bound may have been compiled first
  Columns columns(work.columns(), mixed ? drop.astray() : 0, drop.far());
  std::vector<Solved> solved(n);
  Solved& all = solved.front();
  const auto run = [&all](const Chain& chain) {
    chain.run();
    all.bytes += chain.bytes();
  };
  const auto now = [&work] {
    work.ask(0);
    return work.answer(0);
  };
  std::vector<double> scalars_now(n * static_cast<std::size_t>(scalars), 0);
  all.bytes = start.bytes();
  inner.begin();
  clear(work, beside.best);
  columns.want(now(), options.tolerance);
  if (any(work.answer(0), n, start2)) {
    run(image);
  } else {
    clear(work, beside.q); // A 0
  }
  run(residual);
  bool stopped = false, foreseen = !inner.foresees();
  int tightened = 0;
  while (true) {
    columns.take(now(), drop);
    if (columns.any_worse()) {
      run(back);
      run(image);
      run(residual);
      all.bytes += inner.overlap();
      columns.take_again(now());
    }
    const double factor = mixed ? columns.factor(drop) : 0;
    const Index left = options.most_iterations - progress_of(work.answer(0), n).iterations;
    if (stopped || left <= 0) break;
    const bool ends = !columns.any_goes_on();
    if (measure && tightened < 50 && (ends || (mixed && !foreseen && columns.near_end(factor)))) {
      foreseen = true;
      ++tightened;
      if (!columns.want_less(measure())) break;
    }
    if (!columns.any_goes_on()) break;
    std::copy_n(work.answer(0), scalars_now.size(), scalars_now.begin());
    columns.set(scalars_now.data(), factor);
    work.set_all(scalars_now.data());
    all.bytes += inner.direction(scalars_now.data());
    const Index given = inner.run(left, [&](const double* at) {
      stopped = options.go_on && !options.go_on(progress_of(at, n));
      return !stopped && !all_ended(at, n) &&
             !(mixed && (columns.far_enough(at, drop) || columns.any_falls_behind(at)));
    });
    all.bytes += static_cast<double>(given) * inner.bytes();
    all.flops += static_cast<double>(given) * inner.flops();
    run(collect);
    run(image);
    run(residual);
    all.bytes += inner.overlap();
    for (Solved& one : solved)
      one.updates += mixed ? 1 : 0;
  }
  for (std::size_t c = 0; c < n; ++c) {
    const double* const s = scalars_of(work.answer(0), c);
    solved[c].iterations = static_cast<Index>(s[iterations]);
    solved[c].residual = relative(s, measured2);
    solved[c].converged = columns[c].converged;
    solved[c].broken = columns[c].broken || (!columns[c].converged && s[broken] != 0);
    solved[c].rounding = !columns[c].converged && !solved[c].broken && columns[c].spent() &&
                         !stopped && solved[c].iterations < options.most_iterations;
    solved[c].stopped = stopped;
  }
  start.scale_back(x);
  all.seconds = watch.seconds();
  return solved;
}

/// Iterations whose solutions are apart from those in double, by launches bound once.
template <class T>
class ApartIterations {
public:
  ApartIterations(Workspace& work, const Operator<T>& apply)
      : work_(work), apply_(apply), krylov_(work.queue(), work.count()),
        part_(work.queue(), work.count(), "the inner solution") {}
  /// Binds what a solve needs.
  void bind(const Options& options, Forecast& forecast) {
    batches_.reset();
    iteration_ = krylov_.iteration(work_, apply_, part_.span());
    overlap_ = Chain();
    direction_ = Chain();
    add_sum<Dot<T>, TakeAlong>(overlap_, work_, {krylov_.r.span(), krylov_.p.span()});
    add_op(direction_, work_, BeginDirection<T>{krylov_.r.span(), krylov_.p.span(), work_.s()});
    batches_.emplace(work_, iteration_, options, &forecast);
  }

  /// Whether more than was wanted is asked for before the end: all columns wait for one.
  [[nodiscard]] bool foresees() const { return work_.columns() > 1; }

  void begin() const { part_.clear(work_.queue()); }
  /// r = b - q.
  [[nodiscard]] Chain residual(Span<const double> b, Span<const double> q) const {
    Chain chain;
    add_sum<Begin<T, double>, TakeResidual>(chain, work_,
                                            {b, q, krylov_.r.span(), krylov_.p.span(), false});
    return chain;
  }
  /// p = r of columns that are told so.
  [[nodiscard]] double direction(const double* now) const {
    if (!any(now, static_cast<std::size_t>(work_.columns()), fresh)) return 0;
    direction_.run();
    return direction_.bytes();
  }
  template <class Look>
  Index run(Index most, const Look& look) {
    return batches_->run(most, look);
  }
  [[nodiscard]] Chain collect(Span<double> x, Span<double> best) const {
    Chain chain;
    add_op(chain, work_, Collect<double, T>{x, part_.span(), best, work_.s()});
    return chain;
  }
  /// (r, p) of the direction that goes on.
  [[nodiscard]] double overlap() const {
    overlap_.run();
    return overlap_.bytes();
  }
  [[nodiscard]] double bytes() const { return iteration_.bytes(); }
  [[nodiscard]] double flops() const { return iteration_.flops(); }

private:
  Workspace& work_;
  Operator<T> apply_;
  Krylov<T> krylov_;
  Vector<T> part_;
  Chain iteration_, overlap_, direction_;
  std::optional<Batches> batches_;
};

/// Columns by iterations in lower precision and, where those are not enough, in double.
class UpdatedSolver {
public:
  UpdatedSolver(std::unique_ptr<Workspace> work, Operator<double> apply);

  /// By `narrow(x, b)` first, if there is any.
  using Narrow = std::function<std::vector<Solved>(const Beside& beside)>;
  std::vector<Solved> solve(Span<double> x, Span<const double> b, const Options& options,
                            const Measure& measure, const Narrow& narrow);
  [[nodiscard]] Workspace& work() { return *work_; }
  [[nodiscard]] const Operator<double>& apply() const { return apply_; }
  [[nodiscard]] Forecast& forecast() { return forecast_; }

private:
  std::unique_ptr<Workspace> work_;
  Operator<double> apply_;
  Vector<double> q_, best_;
  Forecast forecast_;
  std::unique_ptr<ApartIterations<double>> wide_; ///< made where it is first needed
};

} // namespace ridge::solve
