// NVIDIA and AMD GPUs as devices. Each kind's module offers them; without it there are none.
#pragma once

#include <ridge/device/backend.hpp>

#include <memory>
#include <vector>

namespace ridge {

/// Names the offer `int()`: how many GPUs of the module's kind there are; 0 without a driver.
struct CountGpus;
/// Names the offer `std::shared_ptr<Backend>(int)`: opens one of them.
struct OpenGpu;

/// The numbers of the GPUs of a kind that is here and has a module.
[[nodiscard]] std::vector<int> gpus_of(DeviceKind kind);
/// Null where there is no such GPU.
[[nodiscard]] std::shared_ptr<Backend> open_gpu(DeviceId id);

} // namespace ridge
