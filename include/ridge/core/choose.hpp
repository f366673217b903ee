// From a run-time value to a compile-time one, out of a short declared list.
#pragma once

#include <type_traits>

namespace ridge {

/// A list of compile-time values.
template <auto... Values>
struct Choices {};

/// Calls `f(std::integral_constant<..., V>{})` for the V of the list that equals `value`; false
/// when none does.
template <class V, auto... Values, class F>
bool choose(const V& value, Choices<Values...>, F&& f) {
  return ((value == Values
               ? (f(std::integral_constant<std::remove_cv_t<decltype(Values)>, Values>{}), true)
               : false) ||
          ...);
}

} // namespace ridge
