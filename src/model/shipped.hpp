// The descriptions that ship with Ridge, as text inside the library; made by CMake from
// src/model/devices.
#pragma once

#include <array>
#include <string_view>

namespace ridge::model {

struct Shipped {
  std::string_view key, json;
};

extern const std::array<Shipped, 13> shipped;

} // namespace ridge::model
