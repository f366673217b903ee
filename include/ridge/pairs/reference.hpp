// The reference: two plain loops in double.
#pragma once

#include <ridge/core/extents.hpp>
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

/// For host code, where every grade of reciprocal square root is exact in double.
template <class I>
[[nodiscard]] ReferenceSums<I>
reference_sums(const I& interaction, const std::array<double, I::targets>& target,
               const HostBodies<I::sources>& sources, Index skipped = -1) {
  using V = Pack<double, 1, abi::Array>;
  ReferenceSums<I> total;
  V one[I::targets];
  for (int c = 0; c < I::targets; ++c)
    one[c] = V(target[c]);
  const auto count = static_cast<Index>(sources[0].size());
  for (Index j = 0; j < count; ++j) {
    if (j == skipped) continue;
    V source[I::sources];
    for (int c = 0; c < I::sources; ++c)
      source[c] = V(sources[c][static_cast<std::size_t>(j)]);
    V term[I::sums];
    for (V& t : term)
      t = V(0);
    interaction(one, source, term);
    for (int c = 0; c < I::sums; ++c) {
      total.sum[c] += term[c][0];
      total.scale[c] += std::abs(term[c][0]);
    }
  }
  return total;
}

} // namespace ridge::pairs
