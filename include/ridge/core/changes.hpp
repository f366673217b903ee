// Schedules that differ from one in a single field.
#pragma once

#include <ridge/core/text.hpp>

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

} // namespace ridge::text
