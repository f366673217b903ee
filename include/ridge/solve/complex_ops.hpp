// What BiCGStab does with vectors of complex numbers, real and imaginary part next to each other,
// in double precision (van der Vorst 1992). Vectors have an even count of real numbers.
#pragma once

#include <ridge/solve/vector_ops.hpp>

namespace ridge::solve {

inline namespace RIDGE_TARGET_NAME {

/// i times the complex numbers of a pack.
template <class V>
RIDGE_FN V times_i(const V& v) {
  V turned = v;
  if constexpr (lanes_of < V >> 1) {
    RIDGE_UNROLL
    for (int k = 0; k < lanes_of<V>; k += 2) {
      turned.set(k, -v[k + 1]);
      turned.set(k + 1, v[k]);
    }
  }
  return turned;
}

/// A complex scalar of the solver times a pack.
template <class At, class V>
RIDGE_FN V scaled(const At& at, const Span<const double>& s, int k, const V& v) {
  return V(at.scalar(s, k)) * v + V(at.scalar(s, k + 1)) * times_i(v);
}

struct ComplexNumber {
  double re, im;
};
/// a / b, or 0 where b is.
RIDGE_FN ComplexNumber quotient(const ComplexNumber& a, const ComplexNumber& b) {
  const double size = b.re * b.re + b.im * b.im;
  if (!(size > 0)) return {0, 0};
  return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}
RIDGE_FN ComplexNumber product(const ComplexNumber& a, const ComplexNumber& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

} // namespace RIDGE_TARGET_NAME

/// (x, y).
struct ComplexDot {
  static constexpr const char* name = "dot";
  static constexpr int sums = 2;
  static constexpr double reads = 16, writes = 0;
  Span<const double> x, y;
  template <class At>
  RIDGE_FN Totals<2> operator()(const At& at) const {
    const auto a = at.load(x);
    const auto b = at.load(y);
    return {{dot_of(a, b), dot_of(times_i(a), b)}};
  }
};

/// r = r - alpha v.
struct StepHalf {
  static constexpr const char* name = "half a step of r";
  static constexpr int sums = 0;
  static constexpr double reads = 16, writes = 8;
  Span<const double> v;
  Span<double> r;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    at.store(r, at.load(r) - scaled(at, s, weight, at.load(v)));
    return {{0}};
  }
};

/// (t, r) and |t|^2.
struct TwoDots {
  static constexpr const char* name = "two dots";
  static constexpr int sums = 3;
  static constexpr double reads = 16, writes = 0;
  Span<const double> t, r;
  template <class At>
  RIDGE_FN Totals<3> operator()(const At& at) const {
    const auto a = at.load(t);
    const auto b = at.load(r);
    return {{dot_of(a, b), dot_of(times_i(a), b), dot_of(a, a)}};
  }
};

/// x = x + alpha p + omega r, r = r - omega t; |r|^2 and (r0, r).
struct StepBoth {
  static constexpr const char* name = "step of x and r";
  static constexpr int sums = 3;
  static constexpr double reads = 40, writes = 16;
  Span<const double> p, t, r0;
  Span<double> x, r;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<3> operator()(const At& at) const {
    const auto before = at.load(r);
    at.store(x, at.load(x) + scaled(at, s, weight, at.load(p)) + scaled(at, s, damping, before));
    const auto next = before - scaled(at, s, damping, at.load(t));
    at.store(r, next);
    const auto first = at.load(r0);
    return {{dot_of(next, next), dot_of(first, next), dot_of(times_i(first), next)}};
  }
};

/// p = r + beta (p - omega v).
struct StepBlend {
  static constexpr const char* name = "step of p";
  static constexpr int sums = 0;
  static constexpr double reads = 24, writes = 8;
  Span<const double> r, v;
  Span<double> p;
  Span<const double> s;
  template <class At>
  RIDGE_FN Totals<1> operator()(const At& at) const {
    const auto rest = at.load(p) - scaled(at, s, damping, at.load(v));
    at.store(p, at.load(r) + scaled(at, s, mixing, rest));
    return {{0}};
  }
};

/// alpha = (r0, r) / (r0, v); 0 after the end.
struct ChooseWeight {
  static constexpr int sums = 2;
  RIDGE_FN void operator()(const double* total, double* s) const {
    const ComplexNumber alpha = quotient({s[shadow], s[shadow + 1]}, {total[0], total[1]});
    const bool lost = alpha.re == 0 && alpha.im == 0;
    if (s[ended] == 0 && lost) s[broken] = s[ended] = 1;
    s[weight] = s[ended] == 0 ? alpha.re : 0;
    s[weight + 1] = s[ended] == 0 ? alpha.im : 0;
  }
};
/// omega = (t, r) / |t|^2.
struct ChooseDamping {
  static constexpr int sums = 3;
  RIDGE_FN void operator()(const double* total, double* s) const {
    const bool goes_on = s[ended] == 0 && total[2] > 0;
    s[damping] = goes_on ? total[0] / total[2] : 0;
    s[damping + 1] = goes_on ? total[1] / total[2] : 0;
  }
};
/// beta = (r0, r) / (r0, r before) alpha / omega, and whether this was the last iteration.
struct ChooseMixing {
  static constexpr int sums = 3;
  RIDGE_FN void operator()(const double* total, double* s) const {
    s[mixing] = s[mixing + 1] = 0;
    if (s[ended] != 0) return;
    const ComplexNumber now{total[1], total[2]};
    const ComplexNumber beta =
        product(quotient(now, {s[shadow], s[shadow + 1]}),
                quotient({s[weight], s[weight + 1]}, {s[damping], s[damping + 1]}));
    s[mixing] = beta.re;
    s[mixing + 1] = beta.im;
    s[shadow] = now.re;
    s[shadow + 1] = now.im;
    s[residual2] = total[0];
    s[iterations] += 1;
    constexpr double growth = 1e20;
    if (!(total[0] > s[target2])) s[ended] = 1; // NaN ends it, too
    if (total[0] > growth * s[measured2]) s[ended] = 1;
    if (beta.re == 0 && beta.im == 0) s[ended] = 1; // begins again from the true residual
  }
};
/// r0 = r: (r0, r) = |r|^2.
struct TakeShadow {
  static constexpr int sums = 1;
  RIDGE_FN void operator()(const double* total, double* s) const {
    TakeResidual{}(total, s);
    s[shadow] = total[0];
    s[shadow + 1] = 0;
  }
};

} // namespace ridge::solve
