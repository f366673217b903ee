// Comparing numbers with the reference, each by what its own terms allow.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/core/pack_bounded.hpp>
#include <ridge/record/record.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

namespace ridge {

/// A number whose bytes are all `poison`: what an output holds before it is written.
template <class T>
[[nodiscard]] T poisoned(unsigned char poison) {
  T number;
  std::memset(&number, poison, sizeof(T));
  return number;
}
template <class T>
[[nodiscard]] bool same_bits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

/// The result of comparing many points. An error counts relative to the magnitudes of the
/// terms that the point is computed from, which its bound says (core/pack_bounded.hpp): not to
/// other points. A NaN is right where the reference is NaN, an infinity where it is that infinity.
struct Deviation {
  double max_error = 0;           ///< largest relative error
  bool odd = false;               ///< a NaN or an infinity that is not right, or is missing
  Index3 worst;                   ///< where the largest error, or the first odd number, is
  double found = 0, expected = 0; ///< there
  Index unwritten = 0;            ///< points that hold the poison
  Index3 first_unwritten;
  Index changed = 0; ///< points that do not hold the poison and should
  Index3 first_changed;

  /// Compares a point. `bound()` is asked for only where the error is larger than all before,
  /// relative to the point's value.
  template <class T, class Bound>
  void compare(T number, double right, const T& poison, Index3 at, const Bound& bound) {
    const double error = std::abs(static_cast<double>(number) - right);
    if (error - max_error * std::abs(right) <= 0 || number == static_cast<T>(right)) [[likely]]
      return;
    compare_closely(number, right, poison, at, bound);
  }
  /// A point that nothing may write.
  template <class T>
  void expect_untouched(T number, const T& poison, Index3 at) {
    if (!same_bits(number, poison) && changed++ == 0) first_changed = at;
  }
  void add(const Deviation& other);

private:
  template <class T, class Bound>
  [[gnu::noinline]] void compare_closely(T number, double right, const T& poison, Index3 at,
                                         const Bound& bound) {
    if (same_bits(number, poison) && !same_bits(static_cast<T>(right), poison)) {
      if (unwritten++ == 0) first_unwritten = at;
      return;
    }
    if (std::isnan(right) && std::isnan(number)) return;
    take(static_cast<double>(number), right, std::isfinite(right) ? bound() : 0, bounded_unit<T>,
         at);
  }
  /// An error that is within `allowed` if rounding explains it.
  void take(double number, double right, double allowed, double unit, Index3 at);
};

/// The verdict: relative errors within `tolerance`, everything written that should be, and nothing
/// else. `place` says a point in words.
[[nodiscard]] Check judge(const Deviation& found, double tolerance,
                          const std::function<std::string(Index3)>& place);
/// Judges points of a field.
[[nodiscard]] Check judge(const Deviation& found, double tolerance);

} // namespace ridge
