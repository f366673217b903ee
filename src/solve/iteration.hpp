// What conjugate gradients of either precision do: a chain of launches bound once.
#pragma once

#include <ridge/device/graph.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/solve/solver.hpp>
#include <ridge/solve/vector_call.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ridge::solve {

/// A vector of a solver's own.
template <class T>
class Vector {
public:
  Vector(Queue& queue, Index count, const char* what);
  [[nodiscard]] Span<T> span() const { return {static_cast<T*>(memory_.data()), count_}; }
  void clear(Queue& queue) const;

private:
  Index count_;
  Memory memory_;
};

/// Launches in turn, and what they move at least.
class Chain {
public:
  void add(std::vector<Program> programs);
  void add(Bound bound, double bytes);
  void run() const;
  [[nodiscard]] double bytes() const { return bytes_; }
  [[nodiscard]] double flops() const { return flops_; }

private:
  struct Launch {
    std::vector<Program> programs;
    Bound bound;
  };
  std::vector<Launch> launches_;
  double bytes_ = 0, flops_ = 0;
};

template <class Op>
void add_op(Chain& chain, const Workspace& work, const Op& op) {
  chain.add(work.bind(op), (Op::reads + Op::writes) * static_cast<double>(work.count()));
}
/// What an operation leaves in memory of what it sums: x and y.
template <class T>
std::pair<Span<const T>, Span<const T>> summed(const Dot<T>& op) {
  return {op.x, op.y};
}
template <class T>
std::pair<Span<const T>, Span<const T>> summed(const StepResidual<T>& op) {
  return {op.r, op.r};
}
template <class T, class U>
std::pair<Span<const T>, Span<const T>> summed(const Begin<T, U>& op) {
  return {op.r, op.r};
}

template <class Op, class Then>
void add_sum(Chain& chain, const Workspace& work, const Op& op) {
  add_op(chain, work, op);
  if constexpr (requires { summed(op); } && Then::sums == 1) {
    if (work.reproducible()) {
      const auto [x, y] = summed(op);
      chain.add(work.bind_reproducible<Then>(x, y),
                static_cast<double>(2 * x.size) * sizeof *x.data);
      return;
    }
  }
  chain.add(work.bind_sum<Then>(), 0);
}

/// x, r, p and A p of one precision.
template <class T>
struct Krylov {
  Krylov(Queue& queue, Index count)
      : r(queue, count, "the residual"), p(queue, count, "the direction"),
        q(queue, count, "the operator's result") {}
  Vector<T> r, p, q;

  /// One iteration but for x and p.
  [[nodiscard]] Chain begin_iteration(const Workspace& work, const Operator<T>& apply) const {
    Chain chain;
    chain.add(apply(q.span(), p.span()));
    add_sum<Dot<T>, ChooseStep>(chain, work, {p.span(), q.span()});
    add_sum<StepResidual<T>, ChooseTurn>(chain, work, {q.span(), r.span(), work.s()});
    return chain;
  }
  /// One iteration that moves x.
  [[nodiscard]] Chain iteration(const Workspace& work, const Operator<T>& apply, Span<T> x) const {
    Chain chain = begin_iteration(work, apply);
    add_op(chain, work, StepDirection<T>{r.span(), x, p.span(), work.s()});
    return chain;
  }
};

/// log x, the same bits wherever this is compiled alike: ranks that see the same scalars must give
/// their queues as many iterations, and the C library's logarithm depends on the machine.
[[nodiscard]] double log_of(double x);

/// Where a run of iterations ends, by how fast the residual of each column has fallen so far. What
/// is known of that is kept from run to run.
class Forecast {
public:
  explicit Forecast(int columns) : columns_(static_cast<std::size_t>(columns)) {}

  /// What the scalars were after so many of this run's iterations.
  void note(const double* now, Index given) {
    end_ = given;
    for (Column& c : columns_) {
      if (now[ended] == 0) end_ = std::max(end_, given + c.left(now));
      now += scalars;
    }
  }
  /// How many of the iterations to the end are not given yet; 0: all that are foreseen.
  [[nodiscard]] Index left(Index given) const { return std::max(Index{0}, end_ - given); }
  /// True if the end is foreseen.
  [[nodiscard]] bool knows() const { return end_ < unknown; }
  /// A new run: its end is not known.
  void forget() { end_ = unknown; }

private:
  static constexpr Index unknown = 1 << 30;
  struct Column {
    double rate = 0, done = 0;
    double height = -std::numeric_limits<double>::infinity(); ///< log |r|^2

    [[nodiscard]] Index left(const double* now) {
      const double height_now = log_of(now[residual2]);
      if (now[iterations] > done && height > height_now)
        rate = (height - height_now) / (now[iterations] - done);
      done = now[iterations];
      height = height_now;
      const double more = (height_now - log_of(now[target2])) / rate;
      return more >= 0 && more < unknown ? static_cast<Index>(std::ceil(more)) : unknown;
    }
  };
  std::vector<Column> columns_;
  Index end_ = unknown;
};

/// Runs batches of iterations, as a graph on GPUs, and looks at the one before the last, so that
/// the queue always has work; where the end is foreseen, nothing is given beyond it. A solve begins
/// with a few iterations that show how fast it is. Made once a solve: what is recorded serves all
/// of it.
class Batches {
public:
  /// `known`: what solves before this one have shown; null for none.
  Batches(Workspace& work, const Chain& iteration, const Options& options,
          Forecast* known = nullptr);
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  ~Batches() = default;

  /// At most so many iterations, until `look(scalars)` is false. Everything has been done when it
  /// returns; how many the queue was given, those after the end too.
  template <class Look>
  Index run(Index most, const Look& look) {
    Index given = 0;
    Index given_at[2] = {};
    bool asked = false;
    int slot = 0;
    forecast_.forget();
    if (foresees_) {
      work_.ask(slot);
      forecast_.note(work_.answer(slot), 0); // how fast may be known from an earlier run
      if (!forecast_.knows()) {
        given += give(std::min(most, first_few));
        work_.ask(slot);
        const double* const now = work_.answer(slot);
        forecast_.note(now, given);
        if (!look(now)) most = given;
      }
    }
    while (given < most) {
      if (at_once_) {
        given += give(most - given);
        work_.ask(slot);
        if (!look(work_.answer(slot))) break;
        continue;
      }
      given += give(std::min(most - given, std::max(Index{1}, forecast_.left(given))));
      work_.ask(slot);
      given_at[slot] = given;
      const bool ahead = forecast_.left(given) > 0;
      if (asked) {
        const double* const before = work_.answer(1 - slot);
        if (foresees_) forecast_.note(before, given_at[1 - slot]);
        if (!look(before)) break;
      }
      asked = ahead;
      if (!ahead) {
        const double* const now = work_.answer(slot);
        if (foresees_) forecast_.note(now, given);
        if (!look(now)) break;
      }
      slot = 1 - slot;
    }
    work_.queue().wait();
    return given;
  }

private:
  static constexpr Index first_few = 3;
  /// At most so many; how many.
  Index give(Index most);

  Workspace& work_;
  const Chain& iteration_;
  bool at_once_, foresees_;
  Index every_;
  Forecast own_;
  Forecast& forecast_;
  Repeated repeated_;
};

/// How far a residual falls before it is computed anew in double: further where it was then what
/// the iteration had it for, less far where it was not.
class Drop {
public:
  /// `slow`: of iterations a decade, by whose cube it falls less far: what the iteration does not
  /// know of the residual grows with the condition, and takes the direction with it.
  /// `astray`: how far from |r|^2 its product with the direction may be. `far`: iterations a decade
  /// of a mode that it does not keep.
  explicit Drop(double first, double least = 1e-4, double slow = 9e-8, double astray = 0.1,
                double far = 250)
      : factor_(first), least_(least), slow_(slow), astray_(astray), far_(far) {}
  [[nodiscard]] double astray() const { return astray_; }
  [[nodiscard]] double far() const { return far_; }
  [[nodiscard]] double factor() const { return factor_; }
  /// Where a decade takes so many iterations.
  [[nodiscard]] double factor_at(double pace) const {
    const double slow = slow_ * pace * pace * pace;
    return slow > factor_ ? std::min(slow, std::max(most, factor_)) : factor_;
  }
  /// `measured`, `iterated`: |b - A x|^2 as computed anew, and as the iteration had it.
  void note(double measured, double iterated) {
    if (measured < 1.5 * iterated) {
      factor_ = std::max(0.1 * factor_, least_);
    } else if (!(measured < 4 * iterated)) {
      factor_ = std::min(10 * factor_, most);
      least_ = std::max(least_, factor_); // not so far again
    }
  }

private:
  static constexpr double most = 0.1;
  double factor_, least_, slow_, astray_, far_;
};

/// Iterations a decade of |r|, of |r|^2 before and after so many.
[[nodiscard]] inline double pace_of(double iterations, double before, double after) {
  constexpr double log_of_10 = 2.30258509299404568;
  const double decades = 0.5 * log_of(before / after) / log_of_10;
  return decades > 0 ? iterations / decades : std::numeric_limits<double>::infinity();
}

/// NaN where one of both is.
[[nodiscard]] inline double relative(const double* s, Scalar squared) {
  return s[source2] == 0 ? 0 : std::sqrt(s[squared] / s[source2]);
}

/// A column's scalars.
[[nodiscard]] inline const double* scalars_of(const double* all, std::size_t column) {
  return all + column * static_cast<std::size_t>(scalars);
}
[[nodiscard]] inline bool any(const double* all, std::size_t columns, Scalar which) {
  for (std::size_t c = 0; c < columns; ++c)
    if (scalars_of(all, c)[which] != 0) return true;
  return false;
}

/// Where a solver begins: its scalars, |b|^2 and |x|^2 among them. Right-hand sides whose squares
/// are no numbers, or nearly 0, are copied and multiplied by powers of two, each by its own, and so
/// is x until the end: no bit of theirs changes.
class Start {
public:
  Start(Workspace& work, Span<double> x, Span<const double> b);
  [[nodiscard]] Span<const double> b() const { return b_; }
  /// A vector in the solver's unit, or back.
  void scale(Span<double> x) const { by(x, false); }
  void scale_back(Span<double> x) const { by(x, true); }
  [[nodiscard]] double bytes() const { return bytes_; }

private:
  void by(Span<double> x, bool back) const;
  void set_units(const std::vector<double>& units) const;
  void measure(Span<const double> b, Span<const double> x);

  Workspace& work_;
  Span<const double> b_;
  std::optional<Vector<double>> copy_;
  std::vector<double> units_; ///< a power of two for each column, or none
  double bytes_ = 0;
};

void clear(Workspace& work, Span<double> x);

/// Iterations in double precision until |b - A x| is small enough; `residual` computes it anew and
/// lets them begin from there. `start`: of x and b. x is the best that was computed then, `best`
/// memory for it. `patience`: so many times, one after the other, little may become better.
[[nodiscard]] Solved run_to_the_end(Workspace& work, const Start& start, Span<double> x,
                                    Span<double> best, const Chain& iteration,
                                    const Chain& residual, const Options& options,
                                    Forecast* known = nullptr, int patience = 2);

/// Adds what a solve did that went on in double where another ended.
void join(Solved& first, const Solved& then);

/// Seconds since it was made.
class Stopwatch {
public:
  [[nodiscard]] Seconds seconds() const {
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count()};
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace ridge::solve
