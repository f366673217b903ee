// An interaction whose positions have more digits than it computes with: for bodies of which those
// that follow each other are not near each other.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/pairs/interaction.hpp>

namespace ridge::pairs {

namespace detail {
template <class I>
constexpr double operations_of() {
  if constexpr (requires { I::operations; }) {
    return I::operations;
  } else {
    return 0;
  }
}
template <class I>
constexpr double rsqrts_of() {
  if constexpr (requires { I::rsqrts; }) {
    return I::rsqrts;
  } else {
    return 0;
  }
}
template <class I>
constexpr Grade grade_of() {
  if constexpr (requires { I::grade; }) {
    return I::grade;
  } else {
    return Grade::exact;
  }
}
} // namespace detail

/// `I` in mixed precision for bodies anywhere: positions are taken as two numbers, and what a
/// number lacks is in the second. So differences are right wherever an origin is, for two more
/// additions each. Targets and sources have the spans of their positions twice: x, y, z, x, y, z,
/// m.
template <class I>
struct Apart {
  static constexpr int positions = positions_of<I>(), remainders = positions;
  static constexpr int targets = I::targets + remainders, sources = I::sources + remainders;
  static constexpr int sums = I::sums, vector = vector_of<I>();
  static constexpr double flops = flops_of<I>();
  static constexpr double operations = detail::operations_of<I>() > 0
                                           ? detail::operations_of<I>() + 2 * positions
                                           : 0;
  static constexpr double rsqrts = detail::rsqrts_of<I>();
  static constexpr Grade grade = detail::grade_of<I>();

  I interaction;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    V at[I::targets];
    V from[I::sources];
    take<I::targets, I::sources>(target, source, at, from);
    interaction(at, from, sum);
  }

  template <class V>
  RIDGE_FN void mutual(const V* a, const V* b, V* sum_a, V* less_b) const
    requires has_mutual<I, V>
  {
    V at[I::sources];
    V from[I::sources];
    take<I::sources, I::sources>(a, b, at, from);
    interaction.mutual(at, from, sum_a, less_b);
  }

private:
  /// The target at 0, and the source where it is from there.
  template <int Targets, int Sources, class V>
  static RIDGE_FN void take(const V* target, const V* source, V* at, V* from) {
    RIDGE_UNROLL
    for (int c = 0; c < positions; ++c) {
      at[c] = V(0);
      from[c] = (source[c] - target[c]) + (source[positions + c] - target[positions + c]);
    }
    RIDGE_UNROLL
    for (int c = positions; c < Targets; ++c)
      at[c] = target[positions + c];
    RIDGE_UNROLL
    for (int c = positions; c < Sources; ++c)
      from[c] = source[positions + c];
  }
};

} // namespace ridge::pairs
