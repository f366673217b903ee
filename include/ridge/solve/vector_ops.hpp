// What solvers do with vectors, as functors: contiguous real numbers of any pattern's fields. Each
// reads and writes every number once; sums are in double and stay on the device. `At` is some
// neighbouring numbers: at.load(x), at.store(x, v), and at.scalar(s, k) of the solver's scalars.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/view.hpp>

namespace ridge::solve {

/// A solver's scalars on the device: all that iterations decide by.
enum Scalar {
  residual2,  ///< |r|^2, as the iteration has it
  target2,    ///< where it ends
  step,       ///< alpha
  turn,       ///< beta
  fresh,      ///< 1, or 0 after the end: p stays as it is
  iterations, ///< done until the end
  ended,      ///< 1 where |r|^2 <= target2 or the operator is not positive
  broken,     ///< 1 where it is not
  source2,    ///< |b|^2
  measured2,  ///< |b - A x|^2, as last computed
  iterated2,  ///< what the iteration had it for then
  along,      ///< (r, p): |r|^2, but where r was computed anew and p was not
  start2,     ///< |x|^2 of where the solver begins
  best2,      ///< the least |b - A x|^2 of all that were computed; at first |b|^2, of x = 0
  better,     ///< 1 where x has it, and is kept before it changes
  worse,      ///< 1 where x has more: it is what was kept again
  unit,       ///< what vectors are multiplied by to be of a range whose squares are numbers
  // Of complex numbers, the imaginary part behind the real one.
  shadow,               ///< (r0, r)
  weight = shadow + 2,  ///< alpha
  damping = weight + 2, ///< omega
  mixing = damping + 2, ///< beta
  scalars = mixing + 2
};

/// Sums over vectors.
template <int N>
struct Totals {
  double w[N];
};

inline namespace RIDGE_TARGET_NAME {
/// The sum of the products of two packs' elements, in double.
template <class V, class W>
RIDGE_FN double dot_of(const V& a, const W& b) {
  constexpr int n = lanes_of<V>;
  double products[n];
  RIDGE_UNROLL
  for (int i = 0; i < n; ++i)
    products[i] = static_cast<double>(a[i]) * static_cast<double>(b[i]);
  RIDGE_UNROLL
  for (int half = n / 2; half > 0; half /= 2) { // as vectors can
    RIDGE_UNROLL
    for (int i = 0; i < half; ++i)
      products[i] += products[i + half];
  }
  return products[0];
}
} // namespace RIDGE_TARGET_NAME

/// The sum of x y.
template <class T>
struct Dot {
  static constexpr const char* name = "dot";
  static constexpr int sums = 1;
  static constexpr double reads = 2 * sizeof(T), writes = 0;
  Span<const T> x, y;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    return {{dot_of(at.load(x), at.load(y))}};
  }
};

/// r = b - q, p = r; the sum of r^2. r may be of another type than b and q.
template <class T, class U = T>
struct Begin {
  static constexpr const char* name = "residual";
  static constexpr int sums = 1;
  static constexpr double reads = 2 * sizeof(U), writes = 2 * sizeof(T);
  Span<const U> b, q;
  Span<T> r, p;
  bool sets_p = true; ///< else p goes on in the direction that it has
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    const auto all = at.load(b) - at.load(q);
    const auto narrow = at.template narrowed<T>(all);
    at.store(r, narrow);
    if (sets_p) at.store(p, narrow);
    return {{dot_of(all, all)}};
  }
};

/// r = r - alpha q; the sum of r^2.
template <class T>
struct StepResidual {
  static constexpr const char* name = "step of r";
  static constexpr int sums = 1;
  static constexpr double reads = 2 * sizeof(T), writes = sizeof(T);
  Span<const T> q;
  Span<T> r;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    using V = decltype(at.load(r));
    const V next = at.load(r) - V(at.scalar(s, step)) * at.load(q);
    at.store(r, next);
    return {{dot_of(next, next)}};
  }
};

/// x = x + alpha p, p = fresh r + beta p.
template <class T>
struct StepDirection {
  static constexpr const char* name = "step of x and p";
  static constexpr int sums = 0;
  static constexpr double reads = 3 * sizeof(T), writes = 2 * sizeof(T);
  Span<const T> r;
  Span<T> x, p;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    using V = decltype(at.load(r));
    const V before = at.load(p);
    at.store(x, at.load(x) + V(at.scalar(s, step)) * before);
    at.store(p, V(at.scalar(s, fresh)) * at.load(r) + V(at.scalar(s, turn)) * before);
    return {{0}};
  }
};

/// y = y + x, x = 0: what an inner solver has found goes to the outer one. The best y is kept.
template <class T, class U>
struct Collect {
  static constexpr const char* name = "collect";
  static constexpr int sums = 0;
  static constexpr double reads = sizeof(T) + sizeof(U), writes = 2 * sizeof(T) + sizeof(U);
  Span<T> y;
  Span<U> x;
  Span<T> best;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    const auto part = at.load(x);
    const auto before = at.load(y);
    if (at.scalar(s, better) != 0) at.store(best, before);
    at.store(y, before + at.template narrowed<T>(part));
    at.store(x, decltype(part)(0));
    return {{0}};
  }
};

/// to = unit from.
struct Scale {
  static constexpr const char* name = "scale";
  static constexpr int sums = 0;
  static constexpr double reads = sizeof(double), writes = sizeof(double);
  Span<const double> from;
  Span<double> to;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    using V = decltype(at.load(from));
    at.store(to, V(at.scalar(s, unit)) * at.load(from));
    return {{0}};
  }
};

/// Keeps x where it is the best.
struct Keep {
  static constexpr const char* name = "keep the best";
  static constexpr int sums = 0;
  static constexpr double reads = sizeof(double), writes = sizeof(double);
  Span<const double> x;
  Span<double> best;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    if (at.scalar(s, better) != 0) at.store(best, at.load(x));
    return {{0}};
  }
};
/// Takes what was kept where x is worse.
struct TakeBest {
  static constexpr const char* name = "take the best";
  static constexpr int sums = 0;
  static constexpr double reads = sizeof(double), writes = sizeof(double);
  Span<const double> best;
  Span<double> x;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    if (at.scalar(s, worse) != 0) at.store(x, at.load(best));
    return {{0}};
  }
};
/// p = r where a direction begins anew: `fresh` says so.
template <class T>
struct BeginDirection {
  static constexpr const char* name = "direction";
  static constexpr int sums = 0;
  static constexpr double reads = sizeof(T), writes = sizeof(T);
  Span<const T> r;
  Span<T> p;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    if (at.scalar(s, fresh) != 0) at.store(p, at.load(r));
    return {{0}};
  }
};

/// How numbers of stored fields lie: groups of `lanes` values, each of `numbers`; `chunk` numbers
/// of a value lie together, and those that fill no chunk follow as a shorter one.
struct GroupOrder {
  int numbers = 1, lanes = 1, chunk = 1;

  [[nodiscard]] RIDGE_FN Index place(Index group, int lane, int number) const {
    const int whole = numbers / chunk * chunk;
    const int each = number < whole ? chunk : numbers - whole;
    const int first = number < whole ? number / chunk * chunk : whole;
    return group * (numbers * lanes) + first * lanes + lane * each + (number - first);
  }
};

/// to = from, which lies in another order; 0 in lanes that `from` has not.
struct Rearrange {
  static constexpr const char* name = "rearrange";
  static constexpr int sums = 0;
  static constexpr double reads = sizeof(double), writes = sizeof(double);
  Span<const double> from;
  Span<double> to;
  GroupOrder before, after;
  /// Where groups differ, for the host: the place in `from`, lane by lane, of each place in `to`;
  /// -1 for none.
  Span<const int> places = {};
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    at.store(to, at.gathered(from, *this));
    return {{0}};
  }
  /// Where number `i` of `to` comes from; -1 for none.
  [[nodiscard]] RIDGE_FN Index source(Index i) const {
    const int size = after.numbers * after.lanes;
    const Index group = i / size;
    int rest = static_cast<int>(i - group * size);
    const int whole = after.numbers / after.chunk * after.chunk;
    const bool last = rest >= whole * after.lanes;
    const int each = last ? after.numbers - whole : after.chunk;
    int number = last ? whole : 0;
    rest -= number * after.lanes;
    number += rest / (each * after.lanes) * each + rest % each;
    const int lane = rest % (each * after.lanes) / each;
    if (places.data != nullptr) {
      const int place = places.data[group * after.lanes + lane];
      return place < 0 ? -1 : before.place(place / before.lanes, place % before.lanes, number);
    }
    return lane < before.lanes ? before.place(group, lane, number) : -1;
  }
};

/// One of the vectors that lie as the values of groups, number by number.
template <class T>
struct TakeColumn {
  static constexpr const char* name = "column";
  static constexpr int sums = 0;
  static constexpr double reads = sizeof(T), writes = sizeof(double);
  Span<const T> from;
  Span<double> to;
  GroupOrder order;
  int column = 0;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    at.store(to, at.gathered(from, *this));
    return {{0}};
  }
  [[nodiscard]] RIDGE_FN Index source(Index i) const {
    const Index group = i / order.numbers;
    return order.place(group, column, static_cast<int>(i - group * order.numbers));
  }
};

// What is done with a sum, by one thread.

/// alpha = (r, p) / (p, A p), the step to the least error along p; 0 after the end.
struct ChooseStep {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const {
    const double sum = total[0];
    const bool positive = sum > 0;
    if (s[ended] == 0 && !positive) s[broken] = s[ended] = 1;
    s[step] = s[ended] == 0 ? s[along] / sum : 0;
  }
};
/// beta = |r|^2 / |r before|^2, and whether this was the last iteration.
struct ChooseTurn {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const {
    constexpr double growth = 1e20; // a residual whose square grows by so much comes back no more
    const double sum = total[0];
    if (s[ended] != 0) {
      s[turn] = 1;
      s[fresh] = 0;
      return;
    }
    s[turn] = sum / s[residual2];
    s[fresh] = 1;
    s[residual2] = s[along] = sum;
    s[iterations] += 1;
    if (!(sum > s[target2]) || sum > growth * s[measured2]) s[ended] = 1; // NaN ends it, too
  }
};
/// Takes the norm of a residual that was computed anew, and the direction for it.
struct TakeResidual {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const {
    const double sum = total[0];
    s[iterated2] = s[residual2];
    s[residual2] = s[measured2] = s[along] = sum;
    s[better] = sum < s[best2] ? 1 : 0;
    s[worse] = sum <= s[best2] ? 0 : 1; // NaN is, too
    if (sum < s[best2]) s[best2] = sum;
    s[ended] = sum > s[target2] ? 0 : 1;
    s[step] = 0;
  }
};
/// Takes (r, p) of a residual that was computed anew and a direction that goes on.
struct TakeAlong {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const { s[along] = total[0]; }
};
/// Takes |b|^2, which is the residual of x = 0.
struct TakeSource {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const {
    s[source2] = s[best2] = total[0];
  }
};
struct TakeStart {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const { s[start2] = total[0]; }
};

/// The sum of one rank, which those of others are added to.
struct TakePart {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const { s[0] = total[0]; }
};

// Of systems (A + sigma) x = b beside A x = b (Jegerlehner, hep-lat/9612014): all residuals are
// multiples zeta r of one. A number a shift.

/// From alpha and beta of an iteration those of the shifts. A shift whose residual is small enough
/// rests, zeta being 0 from then on; nothing changes after the end.
struct StepShifts {
  static constexpr const char* name = "scalars of shifts";
  static constexpr int sums = 0;
  static constexpr double reads = 0, writes = 0; // a few numbers
  Span<const double> sigma;
  Span<double> zeta, before;           ///< of this iteration, and the one before
  Span<double> last_step, last_turn;   ///< alpha and beta of the one before
  Span<double> shift_step, shift_turn; ///< alpha and beta of the shifts
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    using V = decltype(at.load(zeta));
    if (at.scalar(s, fresh) == 0) {
      at.store(shift_step, V(0.0));
      at.store(shift_turn, V(1.0));
      return {{0}};
    }
    const V alpha(at.scalar(s, step)), beta(at.scalar(s, turn));
    const V now = at.load(zeta), old = at.load(before), last = at.load(last_step);
    const V by = V(1.0) + at.load(sigma) * alpha;
    const V below = last * old * by + alpha * at.load(last_turn) * (old - now);
    V to(0.0), steps(0.0), turns(1.0);
    RIDGE_UNROLL
    for (int k = 0; k < lanes_of<V>; ++k) {
      if (now[k] == 0) continue; // it rests
      const double next = now[k] * old[k] * last[k] / below[k];
      const double ratio = next / now[k];
      steps.set(k, alpha[k] * ratio);
      turns.set(k, beta[k] * ratio * ratio);
      // Its residual is next r. Where that is small enough it rests: soon the square of next would
      // be no number.
      constexpr double enough = 1e-4;
      if (next * next * at.scalar(s, residual2) > enough * at.scalar(s, target2)) to.set(k, next);
    }
    at.store(shift_step, steps);
    at.store(shift_turn, turns);
    at.store(before, now);
    at.store(zeta, to);
    at.store(last_step, alpha);
    at.store(last_turn, beta);
    return {{0}};
  }
};

/// x = x + alpha p, p = zeta r + beta p of the shift `which`.
struct StepShifted {
  static constexpr const char* name = "step of a shift";
  static constexpr int sums = 0;
  static constexpr double reads = 3 * sizeof(double), writes = 2 * sizeof(double);
  Span<const double> r;
  Span<double> x, p;
  Span<const double> zeta, shift_step, shift_turn, s;
  int which = 0;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    using V = decltype(at.load(r));
    const V before = at.load(p);
    at.store(x, at.load(x) + V(at.scalar(shift_step, which)) * before);
    at.store(p, V(at.scalar(s, fresh) * at.scalar(zeta, which)) * at.load(r) +
                    V(at.scalar(shift_turn, which)) * before);
    return {{0}};
  }
};

/// q = q + sigma x.
struct AddShift {
  static constexpr const char* name = "shift";
  static constexpr int sums = 0;
  static constexpr double reads = 2 * sizeof(double), writes = sizeof(double);
  Span<double> q;
  Span<const double> x;
  double sigma = 0;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    using V = decltype(at.load(x));
    at.store(q, at.load(q) + V(sigma) * at.load(x));
    return {{0}};
  }
};

} // namespace ridge::solve
