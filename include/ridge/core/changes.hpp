// Schedules that differ from one in a single field.
#pragma once

#include <ridge/core/text.hpp>

#include <algorithm>

namespace ridge::text {

/// Every possible schedule that has one field unlike `schedule`, of the values that enumeration
/// visits, in the order of the fields.
template <class S>
[[nodiscard]] std::vector<S> changes_of(const S& schedule) {
  std::vector<S> all;
  for_each_field<S>([&](const auto& f) {
    for (const auto& value : f.allowed.values) {
      S changed = schedule;
      changed.*(f.member) = value;
      if (!(changed == schedule) && problem(changed).empty()) all.push_back(changed);
    }
  });
  return all;
}

/// A value of a field and those beside it, where its values are all integers of a range: half and
/// twice as much, one less and one more.
template <class V, int N>
[[nodiscard]] std::vector<V> beside(const V& value, const InRange<V, N>& allowed) {
  std::vector<V> all(allowed.values.begin(), allowed.values.end());
  for (const long long v : {value / 2LL, value - 1LL, value + 1LL, value * 2LL}) {
    if (v >= allowed.lowest && v <= allowed.highest) all.push_back(static_cast<V>(v));
  }
  return all;
}
template <class V, int N>
[[nodiscard]] std::vector<V> beside(const V& /*value*/, const OneOf<V, N>& allowed) {
  return {allowed.values.begin(), allowed.values.end()};
}
template <class V, int N>
[[nodiscard]] std::vector<V> beside(const V& /*value*/, const Open<V, N>& allowed) {
  return {allowed.values.begin(), allowed.values.end()};
}

/// Schedules that differ from one in a single field, which has a value that the space lists or one
/// beside its own. Fields that count threads of the cpu stay as they are.
template <class S>
[[nodiscard]] std::vector<S> neighbours_of(const S& schedule) {
  std::vector<S> all;
  for_each_field<S>([&](const auto& f) {
    if (f.name == "threads") return;
    for (const auto& value : beside(schedule.*(f.member), f.allowed)) {
      S other = schedule;
      other.*(f.member) = value;
      if (other == schedule || !problem(other).empty()) continue;
      if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(other);
    }
  });
  return all;
}

} // namespace ridge::text
