// What kernels that were written in Python are compiled with.
#pragma once

#include <ridge/core/pack_math.hpp>
#include <ridge/core/rsqrt.hpp>

#include <limits>

namespace ridge::python {

/// A number as a value of the type of `x`, of its precision and with as many lanes.
template <class V>
RIDGE_FN V like(const V& /*x*/, double number) {
  return V(number);
}

template <class V>
RIDGE_FN V like(const V& /*x*/, const V& value) {
  return value;
}

} // namespace ridge::python
