// Parts of an interaction whose first three sums are a force, d(target - source) pulling apart, and
// whose fourth, where it has one, is the energy of the pair.
#pragma once

#include <ridge/pairs/lists/call.hpp>

namespace ridge::pairs {

/// The member by which interactions say that they end at a cutoff themselves, where `I` does.
template <class I, bool = cuts_itself<I>>
struct CutAs {};
template <class I>
struct CutAs<I, true> {
  double cutoff_squared = 0;
};

/// Operations of the force alone, where `I` says them or has no energy beside it.
template <class I, bool = requires { I::force_flops; } || (I::sums == 3 && requires { I::flops; })>
struct ForceFlops {};
template <class I>
struct ForceFlops<I, true> {
  static constexpr double flops = [] {
    if constexpr (requires { I::force_flops; }) {
      return I::force_flops;
    } else {
      return I::flops;
    }
  }();
};

/// Only the force: what a step of time needs.
template <class I>
struct ForceOf : CutAs<I>, ForceFlops<I> {
  static_assert(I::targets == 3 && I::sources == 3 && I::sums >= 3);
  static constexpr int targets = 3, sources = 3, sums = 3, positions = 3, vector = 3;

  I of;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    V all[I::sums];
    RIDGE_UNROLL
    for (int c = 0; c < I::sums; ++c)
      all[c] = c < 3 ? sum[c] : V(0);
    of(target, source, all);
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c)
      sum[c] = all[c];
  }
};

/// The energy and the virial, d . F. Of the sum over all targets each is twice that of all pairs.
template <class I>
struct EnergyOf : CutAs<I> {
  static_assert(I::targets == 3 && I::sources == 3 && I::sums >= 3);
  static constexpr int targets = 3, sources = 3, sums = 2, positions = 3;

  I of;

  template <class V>
  RIDGE_FN void operator()(const V* target, const V* source, V* sum) const {
    V all[I::sums];
    RIDGE_UNROLL
    for (int c = 0; c < I::sums; ++c)
      all[c] = V(0);
    of(target, source, all);
    if constexpr (I::sums > 3) sum[0] += all[3];
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c)
      sum[1] += (target[c] - source[c]) * all[c];
  }
};

template <template <class> class Part, class I>
[[nodiscard]] Part<I> part_of(const I& interaction) {
  Part<I> part;
  part.of = interaction;
  if constexpr (cuts_itself<I>)
    part.cutoff_squared = static_cast<double>(interaction.cutoff_squared);
  return part;
}

} // namespace ridge::pairs
