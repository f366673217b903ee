// Lists of numbers in options.
#pragma once

#include <charconv>
#include <string_view>
#include <vector>

namespace ridge::app {

/// Those of "N,N,..."; none where it is not such a text.
template <class T>
std::vector<T> numbers_of(std::string_view text) {
  std::vector<T> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    const auto [next, status] = std::from_chars(at, end, all.emplace_back());
    if (status != std::errc{} || (next != end && *next != ',')) return {};
    if (next == end) return all;
    at = next + 1;
  }
}

} // namespace ridge::app
