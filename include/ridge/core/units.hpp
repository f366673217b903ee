// Bytes and seconds as types that do not mix, and figures as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace ridge {

struct Bytes {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(const Bytes&, const Bytes&) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.value + b.value}; }
};

struct Seconds {
  double value = 0;
  friend constexpr auto operator<=>(const Seconds&, const Seconds&) = default;
};

/// "1.07 GB": decimal prefixes, three digits.
[[nodiscard]] std::string to_text(Bytes bytes);
/// "555 us": three digits, s, ms, us or ns.
[[nodiscard]] std::string to_text(Seconds seconds);
/// "3.85 TB/s" from 3.85e12 and "B/s"; any unit with decimal prefixes, three digits.
[[nodiscard]] std::string quantity(double value, const std::string& unit);

} // namespace ridge
