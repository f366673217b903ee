// Several settings of a kernel, as they are given together.
#pragma once

#include <ridge/lab/user_kernel.hpp>

#include <string>
#include <vector>

namespace ridge::lab {

/// Reads assignments such as "rate=0.1". Throws UsageError for one that is none, and where one
/// member is given twice.
[[nodiscard]] std::vector<Setting> parse_settings(const std::vector<std::string>& texts);

} // namespace ridge::lab
