#include <ridge/core/units.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace ridge {

namespace {

/// Three significant digits with one of the prefixes; `smallest` is the exponent of the first.
std::string with_prefix(double value, const std::string& unit) {
  static constexpr std::array<const char*, 9> prefixes = {"n", "u", "m", "", "k",
                                                          "M", "G", "T", "P"};
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} {}", value, unit);
  int step = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3));
  step = std::min(std::max(step, -3), 5);
  double scaled = value / std::pow(1000.0, step);
  if (std::abs(scaled) >= 999.5 && step < 5) {
    scaled /= 1000;
    ++step;
  }
  const int decimals = std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, prefixes[step + 3], unit);
}

} // namespace

std::string to_text(Bytes bytes) {
  return with_prefix(static_cast<double>(bytes.value), "B");
}
std::string to_text(Seconds seconds) {
  return with_prefix(seconds.value, "s");
}
std::string quantity(double value, const std::string& unit) {
  return with_prefix(value, unit);
}

} // namespace ridge
