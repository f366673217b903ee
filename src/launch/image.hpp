// Compiling kernels alone, by NVRTC.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/launch/demand.hpp>

#include <string>
#include <vector>

namespace ridge::launch {

/// What NVRTC compiles: the body of `demand.image` as the kernel `ridge_entry`, and its facts.
[[nodiscard]] std::string image_text(const Demand& demand);
/// Its options for an architecture ("sm_90"), without those of the kernel's source.
[[nodiscard]] std::vector<std::string> image_options(const std::string& architecture);

/// Whether NVRTC is here.
[[nodiscard]] bool compiles_images();

/// Binds the call with the image of `demand`, compiled by NVRTC or from the cache. Empty where
/// NVRTC is not here, or where it refuses what nvcc, which is here, may take. Throws as
/// bind_on_demand does.
[[nodiscard]] Binding bind_image(Queue& queue, const void* call, const void* schedule,
                                 const Demand& demand);

} // namespace ridge::launch
