// What images of kernels have in common on CUDA and HIP.
#pragma once

#include <ridge/core/error.hpp>

#include <cstddef>
#include <string>

namespace ridge::gpu {

/// Throws Failure unless an image's facts take the bytes that the host makes of them.
inline void check_facts(std::size_t size, std::size_t bytes) {
  if (size == bytes) return;
  throw Failure("a compiled kernel's facts take " + std::to_string(size) + " bytes, not " +
                std::to_string(bytes));
}

} // namespace ridge::gpu
