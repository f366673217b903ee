// Numbers of a system that users set by name: --set, and with a value for each step --by-step.
//
//   template <class Each>
//   void for_each_number(const Each& each) {      // of a system (kernel.hpp)
//     auto& op = std::get<0>(operations);
//     each("tau", op.tau, chain::above(0.5), "relaxation time");   // a double, or a ByStep
//   }
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ridge::chain {

/// Finite numbers that are right: all, or those from a least one on, or above it.
struct NumberRule {
  double least = std::numeric_limits<double>::lowest();
  bool least_is_right = true;
  [[nodiscard]] constexpr bool takes(double value) const {
    return value - value == 0 && (least_is_right ? value >= least : value > least);
  }
};
inline constexpr NumberRule any_number{};
constexpr NumberRule at_least(double least) {
  return {least, true};
}
constexpr NumberRule above(double least) {
  return {least, false};
}
/// Such as "a finite number above 0.5".
[[nodiscard]] std::string to_text(const NumberRule& rule);

/// A number of a system.
struct SystemNumber {
  std::string name, meaning;
  double value = 0; ///< where nobody sets it
  NumberRule rule;
};

/// Values of numbers, by name.
using NumberValues = std::vector<std::pair<std::string, double>>;

} // namespace ridge::chain
