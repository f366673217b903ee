// What AMD code objects say of themselves.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ridge::test {

/// The number behind a key of the code object's notes, such as "vgpr_count", of its first kernel.
/// Notes are MessagePack: a small number is a byte, others have their length before them.
[[nodiscard]] inline int amd_note(std::string_view object, const std::string& key) {
  const std::string name = "." + key;
  // With the byte that says how long the name is, so that it is not the end of another.
  const auto at = object.find(static_cast<char>(0xa0 | name.size()) + name);
  if (at == std::string_view::npos) throw std::runtime_error("no " + key + " in the notes");
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(object.at(at + 1 + name.size() + i));
  };
  const int first = byte(0);
  if (first < 0x80) return first;
  if (first == 0xcc) return byte(1);
  if (first == 0xcd) return byte(1) << 8 | byte(2);
  throw std::runtime_error(key + " is no small number");
}

} // namespace ridge::test
