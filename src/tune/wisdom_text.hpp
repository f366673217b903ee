// Findings as lines of a wisdom file.
#pragma once

#include <ridge/tune/wisdom.hpp>

#include <string>
#include <string_view>

namespace ridge::tune {

/// One line without its end.
[[nodiscard]] std::string line_of(const Finding& finding);

/// Throws UsageError that says what of the line is wrong.
[[nodiscard]] Finding parse_line(std::string_view line);

} // namespace ridge::tune
