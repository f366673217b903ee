// What defaults know of an H200.
#pragma once

#include <ridge/device/device.hpp>

namespace ridge::stencil {

inline DeviceFacts h200() {
  DeviceFacts facts;
  facts.name = "NVIDIA H200";
  facts.units = 132;
  facts.l1 = {228 << 10};
  facts.shared_per_block = {227 << 10};
  facts.last_level_cache = {60 << 20};
  return facts;
}

} // namespace ridge::stencil
