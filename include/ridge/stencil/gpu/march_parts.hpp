// A plane's part of the sums that linear kernels are.
//
// Such a kernel is called once for each plane that it reads, with neighbours of that plane alone;
// the others are nothing, which the compiler knows: what is added to them, and what they are
// multiplied by, goes away.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/stencil/kernel.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// Points, or nothing.
template <class Value>
struct Part {
  Value value;
  bool nothing;

  RIDGE_DEVICE Part operator-() const { return {-value, nothing}; }
  RIDGE_DEVICE Part& operator+=(const Part& b) { return *this = *this + b; }
  RIDGE_DEVICE Part& operator-=(const Part& b) { return *this = *this - b; }

  friend RIDGE_DEVICE Part operator+(const Part& a, const Part& b) {
    if (a.nothing) return b;
    if (b.nothing) return a;
    return {a.value + b.value, false};
  }
  friend RIDGE_DEVICE Part operator-(const Part& a, const Part& b) {
    if (b.nothing) return a;
    if (a.nothing) return -b;
    return {a.value - b.value, false};
  }
};
template <class Value, class Number>
requires std::is_arithmetic_v<Number> RIDGE_DEVICE Part<Value>
operator*(Number number, const Part<Value>& part) {
  return part.nothing ? part : Part<Value>{number * part.value, false};
}
template <class Value, class Number>
requires std::is_arithmetic_v<Number> RIDGE_DEVICE Part<Value>
operator*(const Part<Value>& part, Number number) {
  return part.nothing ? part : Part<Value>{part.value * number, false};
}
template <class Value, class Number>
requires std::is_arithmetic_v<Number> RIDGE_DEVICE Part<Value>
operator/(const Part<Value>& part, Number number) {
  return part.nothing ? part : Part<Value>{part.value / number, false};
}

template <class Value>
RIDGE_DEVICE Value part_value(const Part<Value>& part) {
  return part.nothing ? Value{} : part.value;
}

/// Neighbours `Above` planes above the point, of the plane that `At` takes for the point's own.
template <class At, int Above>
struct PartNeighbours {
  At at;

  RIDGE_DEVICE auto operator()(int dx, int dy = 0, int dz = 0) const {
    using Value = decltype(at.of_plane(dx, dy, dz));
    return dz == Above ? Part<Value>{at.of_plane(dx, dy, dz), false} : Part<Value>{Value{}, true};
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
