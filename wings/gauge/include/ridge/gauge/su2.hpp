// Updates of a link by SU(2) subgroups: heatbath after Kennedy and Pendleton (Phys. Lett. B 156
// (1985) 393), overrelaxation, and the way to the largest Re tr, in rounded arithmetic, so that
// their bits are equal on every device. Elements of SU(2) are a0 + i sigma a.
#pragma once

#include <ridge/core/philox.hpp>
#include <ridge/gauge/rounded_link.hpp>
#include <ridge/gauge/rounded_math.hpp>

namespace ridge::gauge::inline RIDGE_TARGET_NAME {

using ExactLink = RoundedLink<double>;

struct Quaternion {
  Exact a[4];
};

RIDGE_FN Quaternion operator*(const Quaternion& p, const Quaternion& q) {
  const Exact* const a = p.a;
  const Exact* const b = q.a;
  return {{a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
           a[0] * b[1] + b[0] * a[1] - (a[2] * b[3] - a[3] * b[2]),
           a[0] * b[2] + b[0] * a[2] - (a[3] * b[1] - a[1] * b[3]),
           a[0] * b[3] + b[0] * a[3] - (a[1] * b[2] - a[2] * b[1])}};
}

/// q of SU(2) and its size: w = size q.
struct Polar {
  Exact size;
  Quaternion direction, inverse;
};
RIDGE_FN Polar polar_of(Quaternion v) {
  const Exact size =
      square_root(v.a[0] * v.a[0] + v.a[1] * v.a[1] + v.a[2] * v.a[2] + v.a[3] * v.a[3]);
  RIDGE_UNROLL
  for (int k = 0; k < 4; ++k)
    v.a[k] = v.a[k] / size;
  return {size, v, {{v.a[0], -v.a[1], -v.a[2], -v.a[3]}}};
}

/// Calls `f(link, staples, lane)` with each lane's own and puts the link back: subgroups are chosen
/// and accepted lane by lane.
template <class V, class F>
RIDGE_FN void for_each_lane(RoundedLink<V>& u, const RoundedLink<V>& staples, const F& f) {
  if constexpr (std::is_arithmetic_v<V>) {
    f(u, staples, 0);
  } else {
    for (int lane = 0; lane < lanes_of<V>; ++lane) {
      ExactLink one;
      ExactLink sum;
      for (int c = 0; c < 9; ++c) {
        const auto& a = component(u, c);
        const auto& b = component(staples, c);
        component(one, c) = {Exact(a.re.v[lane]), Exact(a.im.v[lane])};
        component(sum, c) = {Exact(b.re.v[lane]), Exact(b.im.v[lane])};
      }
      f(one, sum, lane);
      for (int c = 0; c < 9; ++c) {
        component(u, c).re.v.set(lane, component(one, c).re.v);
        component(u, c).im.v.set(lane, component(one, c).im.v);
      }
    }
  }
}

/// The part of rows and columns I and J of w that is proportional to an element of SU(2).
template <int I, int J>
RIDGE_FN Quaternion subgroup_part(const ExactLink& w) {
  const Exact half(0.5);
  return {{half * (w(I, I).re + w(J, J).re), half * (w(I, J).im + w(J, I).im),
           half * (w(I, J).re - w(J, I).re), half * (w(I, I).im - w(J, J).im)}};
}

/// u = q u in the subgroup of rows I and J.
template <int I, int J>
RIDGE_FN void multiply_rows(const Quaternion& q, ExactLink& u) {
  using C = lattice::Complex<Exact>;
  const C a(q.a[0], q.a[3]);
  const C b(q.a[2], q.a[1]);
  RIDGE_UNROLL
  for (int k = 0; k < 3; ++k) {
    const C first = u(I, k);
    const C second = u(J, k);
    u(I, k) = a * first + b * second;
    u(J, k) = conj(a) * second - conj(b) * first;
  }
}

/// Which random numbers: those of a link in a sweep.
struct LinkRandom {
  std::uint64_t seed;
  std::uint64_t site; ///< of the whole lattice, in plain order
  std::uint32_t sweep;
  std::uint32_t direction; ///< and subgroup: mu + 4 * subgroup

  /// Two uniform numbers in (0, 1).
  struct Pair {
    double first, second;
  };
  RIDGE_FN Pair draw(std::uint32_t number) const {
    const PhiloxWords words =
        philox({{static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(site >> 32), sweep,
                 direction | number << 4}},
               seed);
    return {uniform_of(words.w[0], words.w[1]), uniform_of(words.w[2], words.w[3])};
  }
};

/// More attempts than this no link takes: the least likely acceptance is about a third.
inline constexpr std::uint32_t most_attempts = 1000;

/// x0 in [-1, 1] with density sqrt(1 - x0^2) exp(a x0), a >= 0. `used`: how many draws it took.
RIDGE_CALL Exact heatbath_component(const LinkRandom& random, const Exact& a, std::uint32_t& used) {
  const Exact one(1.0);
  for (std::uint32_t attempt = 0; attempt < most_attempts; ++attempt) {
    const auto r = random.draw(used);
    const auto s = random.draw(used + 1);
    used += 2;
    if (a.v <
        1) { // uniform, then accepted by the density: most of Kennedy and Pendleton's leave [-1, 1]
      const Exact x = Exact(2.0) * Exact(r.first) - one;
      const Exact rest = one - x * x;
      if (!(rest.v > 0)) continue;
      const Exact bound = Exact(0.5) * logarithm(rest.v) + a * (x - one);
      if (logarithm(s.first).v <= bound.v) return x;
      continue;
    }
    const Exact c = cos_sin_of_turns(r.second).cos;
    const Exact d = -(logarithm(r.first) + c * c * logarithm(s.first)) / a;
    const Exact t(s.second);
    if ((t * t).v <= (one - Exact(0.5) * d).v) return one - d;
  }
  return one;
}

/// Replaces the subgroup's part of u. `w`: u times the staples; `strength`: 2 beta / 3.
template <int I, int J, bool Relax>
RIDGE_FN void update_subgroup(ExactLink& u, ExactLink& w, double strength,
                              const LinkRandom& random) {
  const Polar v = polar_of(subgroup_part<I, J>(w));
  if (!(v.size.v > 1e-100)) return; // no staples, or links that are not numbers
  Quaternion q;
  if constexpr (Relax) {
    q = v.inverse * v.inverse; // takes v to its inverse, of the same trace
  } else {
    std::uint32_t used = 0;
    const Exact x0 = heatbath_component(random, Exact(strength) * v.size, used);
    const auto where = random.draw(used);
    const Exact rest = Exact(1.0) - x0 * x0;
    const Exact length = square_root(Exact(rest.v > 0 ? rest.v : 0.0));
    const Exact z = Exact(2.0) * Exact(where.first) - Exact(1.0);
    const Exact plane = length * square_root(Exact(1.0) - z * z);
    const CosSin around = cos_sin_of_turns(where.second);
    q = Quaternion{{x0, plane * around.cos, plane * around.sin, length * z}} * v.inverse;
  }
  multiply_rows<I, J>(q, u);
  multiply_rows<I, J>(q, w);
}

/// Moves u to where Re tr (u staples) is largest in the subgroup; the square of how far that was.
template <int I, int J>
RIDGE_FN double align_subgroup(ExactLink& u, ExactLink& w) {
  const Polar v = polar_of(subgroup_part<I, J>(w));
  if (!(v.size.v > 1e-100)) return 0;
  multiply_rows<I, J>(v.inverse, u);
  multiply_rows<I, J>(v.inverse, w);
  const Exact* const a = v.direction.a;
  return (a[1] * a[1] + a[2] * a[2] + a[3] * a[3]).v;
}

/// Rows orthonormal, determinant 1: what updates lose by rounding.
RIDGE_CALL void restore_unitarity(ExactLink& u) {
  using C = lattice::Complex<Exact>;
  const auto scale_row = [&](int row) {
    Exact norm(0.0);
    for (int j = 0; j < 3; ++j)
      norm = norm + (u(row, j).re * u(row, j).re + u(row, j).im * u(row, j).im);
    const Exact factor = Exact(1.0) / square_root(norm);
    for (int j = 0; j < 3; ++j)
      u(row, j) = C(factor * u(row, j).re, factor * u(row, j).im);
  };
  scale_row(0);
  C overlap(Exact(0.0), Exact(0.0));
  for (int j = 0; j < 3; ++j)
    overlap = overlap + conj(u(0, j)) * u(1, j);
  for (int j = 0; j < 3; ++j)
    u(1, j) = u(1, j) - overlap * u(0, j);
  scale_row(1);
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3;
    const int l = (j + 2) % 3;
    u(2, j) = conj(u(0, k) * u(1, l) - u(0, l) * u(1, k));
  }
}

/// A link updated by all three subgroups. `staples`: their sum.
template <bool Relax>
RIDGE_CALL void update_link(ExactLink& u, const ExactLink& staples, double strength,
                            LinkRandom random) {
  ExactLink w = u * staples;
  update_subgroup<0, 1, Relax>(u, w, strength, random);
  random.direction += 4;
  update_subgroup<0, 2, Relax>(u, w, strength, random);
  random.direction += 4;
  update_subgroup<1, 2, Relax>(u, w, strength, random);
  restore_unitarity(u);
}

/// The element of SU(3) for which Re tr (u staples) is largest, from u on: in turn in the
/// subgroups, until none moves it by more than rounding.
RIDGE_CALL void align_link(ExactLink& u, const ExactLink& staples) {
  constexpr int most = 500;
  constexpr double rounding = 1e-30;
  ExactLink w = u * staples;
  for (int i = 0; i < most; ++i) {
    double moved = align_subgroup<0, 1>(u, w);
    moved += align_subgroup<0, 2>(u, w);
    moved += align_subgroup<1, 2>(u, w);
    if (!(moved > rounding)) break;
  }
  restore_unitarity(u);
}

} // namespace ridge::gauge::inline RIDGE_TARGET_NAME
