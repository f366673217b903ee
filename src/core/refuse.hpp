// Refusing what the user asked for.
#pragma once

#include <ridge/core/error.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>

namespace ridge {

/// Throws UsageError that says so where something is `wrong`.
template <class... Values>
void refuse_if(bool wrong, fmt::format_string<Values...> text, Values&&... values) {
  if (wrong) throw UsageError(fmt::format(text, std::forward<Values>(values)...));
}

/// Throws Failure that says so where something `failed`.
template <class... Values>
void fail_if(bool failed, fmt::format_string<Values...> text, Values&&... values) {
  if (failed) throw Failure(fmt::format(text, std::forward<Values>(values)...));
}

/// Whether `value` is the first of two that an option has. Throws UsageError where it is neither.
inline bool is_first(const char* option, const std::string& value, const char* first,
                     const char* second) {
  refuse_if(value != first && value != second, "{} {}: expected {} or {}", option, value, first,
            second);
  return value == first;
}

} // namespace ridge
