// The reference: two plain loops in double.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/core/pack_bounded.hpp>
#include <ridge/pairs/interaction.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace ridge::pairs {

/// Bodies on the host: one list of values a component.
template <int N>
using HostBodies = std::array<std::vector<double>, N>;

/// The sums of target `i`, and beside each the sum of its terms' absolute values: the scale that
/// rounding errors are measured by.
template <class I>
struct ReferenceSums {
  std::array<double, I::sums> sum{};
  std::array<double, I::sums> scale{};
};

namespace detail {

/// Calls `take(terms)` for each source but the skipped one. V is a pack of one double, which
/// `given(number)` makes of what bodies have.
template <class V, class I, class Given, class Take>
void for_each_term(const I& interaction, const std::array<double, I::targets>& target,
                   const HostBodies<I::sources>& sources, Index skipped, const Given& given,
                   const Take& take) {
  V one[I::targets];
  for (int c = 0; c < I::targets; ++c)
    one[c] = given(target[c]);
  const auto count = static_cast<Index>(sources[0].size());
  for (Index j = 0; j < count; ++j) {
    if (j == skipped) continue;
    V source[I::sources];
    for (int c = 0; c < I::sources; ++c)
      source[c] = given(sources[c][static_cast<std::size_t>(j)]);
    V term[I::sums];
    for (V& t : term)
      t = V(0);
    interaction(one, source, term);
    take(term);
  }
}

} // namespace detail

/// For host code, where every grade of reciprocal square root is exact in double.
template <class I>
[[nodiscard]] ReferenceSums<I>
reference_sums(const I& interaction, const std::array<double, I::targets>& target,
               const HostBodies<I::sources>& sources, Index skipped = -1) {
  using V = Pack<double, 1, abi::Array>;
  ReferenceSums<I> total;
  const auto given = [](double number) { return V(number); };
  detail::for_each_term<V>(interaction, target, sources, skipped, given, [&](const V* term) {
    for (int c = 0; c < I::sums; ++c) {
      total.sum[c] += term[c][0];
      total.scale[c] += std::abs(term[c][0]);
    }
  });
  return total;
}

/// What all terms of each sum of target `i` together may be off in precision T, which is more than
/// rounding of them where they cancel within.
template <class T, class I>
[[nodiscard]] std::array<double, I::sums>
bounds_of_terms(const I& interaction, const std::array<double, I::targets>& target,
                const HostBodies<I::sources>& sources, Index skipped = -1) {
  using V = BoundedPack<T>;
  std::array<double, I::sums> total{};
  const auto given = [](double number) {
    const bool exact = static_cast<double>(static_cast<T>(number)) == number;
    return V(number, exact ? 0 : rounding_of<T>(number));
  };
  detail::for_each_term<V>(interaction, target, sources, skipped, given, [&](const V* term) {
    for (int c = 0; c < I::sums; ++c)
      total[c] += term[c].bound;
  });
  return total;
}

} // namespace ridge::pairs
