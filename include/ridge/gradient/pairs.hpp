// Adjoints of sums over pairs: sums over the same pairs.
//
//   Program backward(queue, adjoint(call, y_bar, b_bar));     of bodies among themselves
//
// With L a loss and y_bar its derivative by the sums of each target, backward.run() sets b_bar to
// that by the components of bodies: that of body i is
//
//   sum over j of  y_bar_i . (df/d target)(i, j)  +  y_bar_j . (df/d source)(j, i)
//
// with f the interaction: what i receives, and what it gives. Derivatives come from f itself,
// called with dual numbers (ridge/core/dual.hpp), one component seeded at a time; compilers share
// what is common. Targets and sources that are not the same bodies have two sums: adjoint
// by targets and by sources. Memory is that of the bodies.
//
// Executors are compiled ahead by `template struct ridge::pairs::Executor<...>`, or on demand where
// the forward call's source is known. A cutoff is no part of the interaction: sums end there at
// once, and there is no derivative by it.
#pragma once

#include <ridge/core/dual.hpp>
#include <ridge/pairs/interaction.hpp>

#include <type_traits>
#include <utility>

namespace ridge::gradient {

namespace detail {

/// The change of the sums that `source` adds to `target`, times their weights, by one component: by
/// the target's `Seeded`, or, beyond those, the source's.
template <int Seeded, class I, class V>
RIDGE_FN V slope(const I& interaction, const V* target, const V* source, const V* weights) {
  using D = DualOf<V>;
  D one[I::targets], other[I::sources], sum[I::sums];
  RIDGE_UNROLL
  for (int c = 0; c < I::targets; ++c)
    one[c] = D(target[c]);
  RIDGE_UNROLL
  for (int c = 0; c < I::sources; ++c)
    other[c] = D(source[c]);
  RIDGE_UNROLL
  for (int c = 0; c < I::sums; ++c)
    sum[c] = D(0);
  if constexpr (Seeded < I::targets) {
    one[Seeded] = D(target[Seeded], V(1));
  } else {
    other[Seeded - I::targets] = D(source[Seeded - I::targets], V(1));
  }
  interaction(one, other, sum);
  V total(0);
  RIDGE_UNROLL
  for (int c = 0; c < I::sums; ++c) {
    if (sum[c].active) total = total + weights[c] * sum[c].derivative;
  }
  return total;
}

/// Calls f(number) for 0 to N - 1, as constants.
template <int N, class F>
RIDGE_FN void for_each_component(const F& f) {
  [&]<int... C>(std::integer_sequence<int, C...>) {
    (f(std::integral_constant<int, C>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

} // namespace detail

/// The adjoint of I of bodies among themselves. Bodies have the components of I's sources, and
/// behind them the weights of their sums.
template <class I>
struct OfBodies {
  static_assert(I::targets <= I::sources && pairs::remainders_of<I>() == 0);
  static constexpr int targets = I::sources + I::sums, sources = targets, sums = I::sources;
  static constexpr int positions = pairs::positions_of<I>();

  I interaction;

  template <class V>
  RIDGE_FN void operator()(const V* a, const V* b, V* sum) const {
    detail::for_each_component<I::targets>([&](auto c) {
      sum[c] = sum[c] + detail::slope<c.value>(interaction, a, b, a + I::sources);
    });
    detail::for_each_component<I::sources>([&](auto c) {
      sum[c] = sum[c] + detail::slope<I::targets + c.value>(interaction, b, a, b + I::sources);
    });
  }
};

/// The adjoint by targets; behind their components they have the weights of their sums.
template <class I>
struct OfTargets {
  static constexpr int targets = I::targets + I::sums, sources = I::sources, sums = I::targets;
  static constexpr int positions = pairs::positions_of<I>();

  I interaction;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    detail::for_each_component<I::targets>([&](auto c) {
      sum[c] = sum[c] + detail::slope<c.value>(interaction, target, source, target + I::targets);
    });
  }
};

/// The adjoint by sources, which are its targets; its sources are I's targets with their weights.
template <class I>
struct OfSources {
  static constexpr int targets = I::sources, sources = I::targets + I::sums, sums = I::sources;
  static constexpr int positions = pairs::positions_of<I>();

  I interaction;

  template <class V>
  RIDGE_FN void operator()(const V* source, const V* target, V* sum) const {
    detail::for_each_component<I::sources>([&](auto c) {
      sum[c] = sum[c] + detail::slope<I::targets + c.value>(interaction, target, source,
                                                            target + I::targets);
    });
  }
};

} // namespace ridge::gradient
