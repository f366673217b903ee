#include <ridge/core/extents.hpp>
#include <ridge/device/block_shape.hpp>

#include <charconv>

namespace ridge {

std::string to_text(const BlockShape& block) {
  return std::to_string(block.x) + "x" + std::to_string(block.y) + "x" + std::to_string(block.z);
}

bool from_text(std::string_view text, BlockShape& block) {
  BlockShape parsed;
  int* const sides[3] = {&parsed.x, &parsed.y, &parsed.z};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [next, status] = std::from_chars(at, end, *sides[i]);
    if (status != std::errc{}) return false;
    const bool last = i == 2;
    if (last ? next != end : next == end || *next != 'x') return false;
    at = next + 1;
  }
  block = parsed;
  return true;
}

} // namespace ridge
