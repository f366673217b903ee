// The cpu as a device.
#pragma once

#include <ridge/device/backend.hpp>

#include <memory>

namespace ridge {

[[nodiscard]] std::shared_ptr<Backend> open_cpu();

} // namespace ridge
