// What an interaction is: what one source adds to the sums of one target.
//
//   struct Coulomb {
//     static constexpr int targets = 3, sources = 4, sums = 3; // components of each
//     double softening_squared;
//     template <class V>
//     RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
//       const V dx = target[0] - source[0], dy = target[1] - source[1], dz = target[2] - source[2];
//       const V r = rsqrt<Grade::refined>(dx * dx + dy * dy + dz * dz + softening_squared);
//       const V f = source[3] * (r * r * r);
//       sum[0] += f * dx;
//       sum[1] += f * dy;
//       sum[2] += f * dz;
//     }
//   };
//
// V is a value of one target or of several at once; plain numbers mix with it freely. An
// interaction may also declare
//
//   static constexpr int positions      the first so many components, of targets and sources alike,
//                                       are coordinates, of which only differences count: mixed
//                                       precision takes them relative to an origin nearby
//   static constexpr int remainders     so many components behind these have what the first so many
//                                       lack as they are computed with (pairs::Apart)
//   static constexpr int vector         the first so many sums are the components of one vector:
//                                       its errors are told relative to its length
//   static constexpr double flops       operations of one interaction, in whatever convention
//   static constexpr double force_flops those of the first three sums alone, which `ridge md` needs
//   static constexpr double operations  least vector operations (an FMA is one) beside reciprocal
//   static constexpr double rsqrts      square roots, and how many of those, of which
//   static constexpr Grade grade        grade: gives the ceiling that records compare with
//   void mutual(const V* a, const V* b, V* sum_a, V* less_b) const
//                                       what two bodies of one set give each other, where that is
//                                       less work than twice operator(): adds to sum_a, and to
//                                       less_b what is to be subtracted from the sums of b; a and b
//                                       have the components of sources, of which targets have the
//                                       first
#pragma once

#include <ridge/core/functions.hpp>

namespace ridge::pairs {

/// Whether each pair of bodies can be computed once for both.
template <class I, class V = float>
inline constexpr bool has_mutual =
    requires(const I& i, const V* in, V* out) { i.mutual(in, in, out, out); };

/// Whether the schedules with names are compiled ahead where an interaction is; to specialise.
template <class I, class P>
inline constexpr bool names_ahead = false;

template <class I>
constexpr int positions_of() {
  if constexpr (requires { I::positions; }) {
    return I::positions;
  } else {
    return 0;
  }
}

template <class I>
constexpr int remainders_of() {
  if constexpr (requires { I::remainders; }) {
    return I::remainders;
  } else {
    return 0;
  }
}

/// Component `c` of a body as it is computed with, in numbers T: a coordinate from that of
/// `origin`, or what the coordinate lacks in T.
template <class I, class T, class S>
RIDGE_FN T computed_from(int c, S stored, const S* origin) {
  constexpr int positions = positions_of<I>();
  if (c < positions) return static_cast<T>(stored - origin[c]);
  if (c < positions + remainders_of<I>()) {
    const S offset = stored - origin[c - positions];
    return static_cast<T>(offset - static_cast<S>(static_cast<T>(offset)));
  }
  return static_cast<T>(stored);
}

template <class I>
constexpr int vector_of() {
  if constexpr (requires { I::vector; }) {
    return I::vector;
  } else {
    return 0;
  }
}

template <class I>
constexpr double flops_of() {
  if constexpr (requires { I::flops; }) {
    return I::flops;
  } else {
    return 0;
  }
}

} // namespace ridge::pairs
