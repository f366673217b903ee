// Memory that a device can read.
#pragma once

#include <ridge/device/device.hpp>

namespace ridge {

/// Whether kernels of the device may read and write memory that somebody else has allocated. A GPU
/// does not reach what its runtime has no knowledge of, the host's, unless the machine shares all
/// memory.
[[nodiscard]] bool reaches(const Device& device, const void* memory);

/// Names what modules of GPUs offer: `bool(int number, const void* memory)`.
struct ReachMemory;

} // namespace ridge
