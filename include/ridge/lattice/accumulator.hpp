// Accumulators of reductions. `V` is double, or a pack of doubles each of which is accumulated for
// itself. All are arrays of doubles, so that they travel through memory as such:
//
//   add(x), add_product(x, y)      takes a value, or the product of two
//   settle(), period               to be called after at most so many additions
//   merge(other)                   takes what another one has taken
//   lane(i)                        that of one lane of a pack
//   value()                        the result, of a double
#pragma once

#include <ridge/core/pack.hpp>

#include <limits>

namespace ridge::lattice {

/// The sum in double, in the order of additions.
template <class V>
struct PlainSum {
  static constexpr int words = 1;
  static constexpr int period = 1 << 30;
  V w[words];

  RIDGE_FN void clear() { w[0] = V(0.0); }
  RIDGE_FN void add(const V& x) { w[0] += x; }
  RIDGE_FN void add_product(const V& x, const V& y) { w[0] = w[0] + x * y; }
  RIDGE_FN void settle() {}
  RIDGE_FN void merge(const PlainSum& other) { w[0] += other.w[0]; }
  RIDGE_FN void negate() { w[0] = -w[0]; }
  [[nodiscard]] RIDGE_FN PlainSum<double> lane(int i) const { return {{w[0][i]}}; }
  [[nodiscard]] RIDGE_FN double value() const { return w[0]; }
};

/// The greatest value; NaN when one was NaN.
template <class V>
struct Greatest {
  static constexpr int words = 1;
  static constexpr int period = 1 << 30;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  V w[words];

  RIDGE_FN void clear() { w[0] = V(-infinity); }
  RIDGE_FN void add(const V& x) {
    if constexpr (is_pack<V>) {
      // x when it is greater or NaN; but a NaN stays.
      const V greater = select(x <= w[0], w[0], x);
      w[0] = select(w[0] <= V(infinity), greater, w[0]);
    } else {
      const double greater = x <= w[0] ? w[0] : x;
      w[0] = w[0] <= infinity ? greater : w[0];
    }
  }
  RIDGE_FN void add_product(const V& x, const V& y) { add(x * y); }
  RIDGE_FN void settle() {}
  RIDGE_FN void merge(const Greatest& other) { add(other.w[0]); }
  RIDGE_FN void negate() { w[0] = -w[0]; }
  [[nodiscard]] RIDGE_FN Greatest<double> lane(int i) const { return {{w[0][i]}}; }
  [[nodiscard]] RIDGE_FN double value() const { return w[0]; }
};

} // namespace ridge::lattice
