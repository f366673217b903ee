// Refuses interactions that take undeclared components, or do not add to their sums. Nobody else
// looks: a component beyond would be a number of something else, and sums of parts are added.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/core/pack_array.hpp>
#include <ridge/pairs/interaction.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace ridge::pairs {

namespace detail {

/// Components behind the declared ones that are looked at.
inline constexpr int components_beyond = 8;

/// Sums of one pair of bodies: those declared, and what lies behind them.
template <class I>
using ProbedSums = std::array<double, I::sums + components_beyond>;

/// The sums after one pair, from sums that held `before`; `beyond` is in all components that
/// targets, sources and sums do not declare.
template <class I>
[[nodiscard]] ProbedSums<I> probed_sums(const I& interaction, const ProbedSums<I>& before,
                                        double beyond) {
  using V = Pack<double, 1, abi::Array>;
  V target[I::targets + components_beyond], source[I::sources + components_beyond];
  V sum[I::sums + components_beyond];
  for (int c = 0; c < I::targets + components_beyond; ++c)
    target[c] = V(c < I::targets ? 0.25 + 0.375 * c : beyond);
  for (int c = 0; c < I::sources + components_beyond; ++c)
    source[c] = V(c < I::sources ? 0.75 + 0.4375 * c : beyond);
  for (int c = 0; c < I::sums + components_beyond; ++c)
    sum[c] = V(c < I::sums ? before[static_cast<std::size_t>(c)] : beyond);
  interaction(target, source, sum);
  ProbedSums<I> after;
  for (int c = 0; c < I::sums + components_beyond; ++c)
    after[static_cast<std::size_t>(c)] = sum[c][0];
  return after;
}

[[nodiscard]] inline bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

} // namespace detail

/// Calls the interaction for one pair. Throws UsageError where it reads or writes components that
/// it does not declare, or sets a sum instead of adding to it.
template <class I>
void require_declared(const std::string& name, const I& interaction) {
  const detail::ProbedSums<I> nothing{};
  const auto found = detail::probed_sums(interaction, nothing, 1.5);
  const auto again = detail::probed_sums(interaction, nothing, -2.75);
  for (int c = 0; c < I::sums + detail::components_beyond; ++c) {
    const auto at = static_cast<std::size_t>(c);
    if (c >= I::sums) {
      if (found[at] == 1.5 && again[at] == -2.75) continue;
      throw UsageError(name + " adds to sum[" + std::to_string(c) +
                       "], but declares sums = " + std::to_string(I::sums));
    }
    if (!detail::is_same(found[at], again[at]))
      throw UsageError(name + " reads a component that it does not declare: targets = " +
                       std::to_string(I::targets) + " and sources = " + std::to_string(I::sources) +
                       " are what target[] and source[] have");
  }
  detail::ProbedSums<I> before{};
  for (std::size_t c = 0; c < I::sums; ++c)
    before[c] = std::isfinite(found[c]) ? 1 + std::abs(found[c]) : 0;
  const auto onto = detail::probed_sums(interaction, before, 1.5);
  for (std::size_t c = 0; c < I::sums; ++c) {
    if (std::abs(onto[c] - (before[c] + found[c])) <= 1e-6 * before[c] || !std::isfinite(found[c]))
      continue;
    throw UsageError(name + " sets sum[" + std::to_string(c) + "]; an interaction adds what one " +
                     "source gives: sum[" + std::to_string(c) + "] += ...");
  }
}

} // namespace ridge::pairs
