// From a number in a RoofVariant to a number at compile time.
#pragma once

#include <ridge/core/error.hpp>

#include <string>
#include <type_traits>

namespace ridge {

/// Calls `f` with `unroll` and `nontemporal` as integral constants. Throws UsageError for an
/// `unroll` that is not compiled in.
template <class F>
void with_unroll(int unroll, bool nontemporal, F&& f) {
  const auto with = [&](auto constant) {
    if (nontemporal) {
      f(constant, std::true_type{});
    } else {
      f(constant, std::false_type{});
    }
  };
  switch (unroll) {
  case 1:
    return with(std::integral_constant<int, 1>{});
  case 2:
    return with(std::integral_constant<int, 2>{});
  case 4:
    return with(std::integral_constant<int, 4>{});
  case 8:
    return with(std::integral_constant<int, 8>{});
  default:
    throw UsageError("unroll " + std::to_string(unroll) + " of a roof kernel: expected 1, 2, 4, 8");
  }
}

} // namespace ridge
