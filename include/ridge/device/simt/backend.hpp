// The emulated GPU as a device.
#pragma once

#include <ridge/device/backend.hpp>

#include <memory>

namespace ridge {

/// The emulated GPU of warps of 32 or 64 lanes; null for another width. Its memory is host memory;
/// new memory up to 256 MiB is filled with 0xFF bytes (NaN), so that what nobody wrote shows.
[[nodiscard]] std::shared_ptr<Backend> open_simt(int warp_width);

} // namespace ridge
