// NVIDIA and AMD GPUs as devices. Each kind's module offers them; without it there are none.
#pragma once

#include <ridge/device/backend.hpp>

#include <memory>

namespace ridge {

/// Names the offer `int()`: how many GPUs of the module's kind there are; 0 without a driver.
struct CountGpus;
/// Names the offer `std::shared_ptr<Backend>(int)`: opens one of them.
struct OpenGpu;

} // namespace ridge
