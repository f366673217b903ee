// Precisions that a kernel has, by name.
#pragma once

#include <string_view>

namespace ridge {

/// Throws UsageError: `known` is what the kernel has.
[[noreturn]] void refuse_precision(std::string_view precision, std::string_view name,
                                   std::string_view known = "fp32 and fp64");

/// made(float{}) for fp32, made(double{}) for fp64. Throws UsageError for others.
template <class Made>
[[nodiscard]] auto in_precision(std::string_view precision, std::string_view name, const Made& made,
                                std::string_view known = "fp32 and fp64") {
  if (precision == "fp32") return made(float{});
  if (precision != "fp64") refuse_precision(precision, name, known);
  return made(double{});
}

} // namespace ridge
