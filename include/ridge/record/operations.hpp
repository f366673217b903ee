// How many operations one item takes, where its kernel says so: what is not said is unknown, not 0.
#pragma once

#include <limits>
#include <string>

namespace ridge {

/// Operations that nobody said. NaN, so that every sum and product of it is unknown, too; JSON has
/// null for it.
inline constexpr double unknown_operations = std::numeric_limits<double>::quiet_NaN();

/// K::flops, or `unknown_operations` where K has none.
template <class K>
[[nodiscard]] constexpr double said_flops() {
  if constexpr (requires { K::flops; }) {
    return K::flops;
  } else {
    return unknown_operations;
  }
}

/// For sums of what costs at least so much: nothing where it is unknown.
[[nodiscard]] double known_or_none(double flops);

/// "10 flops a point" of 10 and "flops a point"; without a number it says that it is not known.
[[nodiscard]] std::string operations_text(double flops, const char* unit);

} // namespace ridge
