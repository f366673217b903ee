#include <ridge/record/operations.hpp>

#include <fmt/format.h>

#include <cmath>

namespace ridge {

double known_or_none(double flops) {
  return std::isnan(flops) ? 0 : flops;
}

std::string operations_text(double flops, const char* unit) {
  if (!std::isnan(flops)) return fmt::format("{:g} {}", flops, unit);
  return fmt::format("{} not known: the kernel does not say `flops`", unit);
}

} // namespace ridge
