// NVIDIA and AMD GPUs as devices. Builds without one of them count none of that kind.
#pragma once

#include <ridge/device/backend.hpp>

#include <memory>

namespace ridge {

/// How many there are; 0 without a driver, a GPU or support in this build.
[[nodiscard]] int count_cuda();
[[nodiscard]] int count_hip();

[[nodiscard]] std::shared_ptr<Backend> open_cuda(int number);
[[nodiscard]] std::shared_ptr<Backend> open_hip(int number);

} // namespace ridge
