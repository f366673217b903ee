// From a run-time value to a compile-time one, out of a short declared list.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

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

/// Calls `f(std::integral_constant<std::size_t, I>{})` for the I of List::values, an array, that
/// equals `value`; false when none does. For values of classes, which not every compiler takes from
/// a lambda's argument.
template <class List, class V, class F>
bool choose_from(const V& value, F&& f) {
  // Compared with constants, not with the array: modules of other lists may have it under one name.
  const auto take = [&](auto i) {
    constexpr auto known = List::values[i];
    if (!(value == known)) return false;
    f(i);
    return true;
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (take(std::integral_constant<std::size_t, I>{}) || ...);
  }
  (std::make_index_sequence<List::values.size()>{});
}

} // namespace ridge
