// What a pass on a GPU is compiled for, and for which kernels there is one.
#pragma once

#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/schedule_fields.hpp>

#include <array>

namespace ridge::stencil {

/// Of GpuPassSchedule.
struct GpuPassVariant {
  int sweeps = 3;
  int rows = 3;   ///< rows of a thread
  int warps = 16; ///< of a block
  Store store = Store::plain;
  friend constexpr bool operator==(const GpuPassVariant&, const GpuPassVariant&) = default;
};

/// Whether all that K reads of its input lies on the axes, at most one point away.
template <class K>
constexpr bool is_near_star() {
  bool near = true;
  std::apply(
      [&](const auto&... f) {
        const auto look = [&](const auto& footprint) {
          for (const Offset& o : footprint.offsets) {
            const int away = o.x * o.x + o.y * o.y + o.z * o.z;
            near = near && away <= 1;
          }
        };
        (look(f), ...);
      },
      footprints_of<K>());
  return near;
}

/// Whether a GPU can take several sweeps of K in one pass.
template <class K>
constexpr bool has_gpu_pass() {
  return inputs_of<K> == 1 && levels_of<K>() == 1 && is_near_star<K>() && radius_of<K>().z == 1;
}

} // namespace ridge::stencil
