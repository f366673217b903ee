// What a pass on a GPU is compiled for, and for which kernels there is one. As for single sweeps
// (variants.hpp): anything that is not compiled ahead is compiled when it is asked for; that
// compilation defines RIDGE_STENCIL_GPU_PASS as the one variant wanted.
#pragma once

#include <ridge/stencil/gpu_pass_schedule.hpp>
#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/schedule_fields.hpp>

#include <array>

namespace ridge::stencil {

/// Of GpuPassSchedule.
struct GpuPassVariant {
  int sweeps = 4;
  int rows = 3;
  int warps = 12;
  Store store = Store::plain;
  bool moving = false; ///< some faces' shell changes from sweep to sweep
  friend constexpr bool operator==(const GpuPassVariant&, const GpuPassVariant&) = default;
};

/// Whether an input is read nowhere but on the axes, one point away at most. `offsets` is its
/// footprint's.
template <class Offsets>
constexpr bool is_near_star(const Offsets& offsets) {
  for (const Offset& o : offsets) {
    if (o.x * o.x + o.y * o.y + o.z * o.z > 1) return false;
  }
  return true;
}

/// Whether a GPU can take several sweeps of K in one pass.
template <class K>
constexpr bool has_gpu_pass() {
  return inputs_of<K> == 1 && levels_of<K>() == 1 && radius_of<K>() == Offset{1, 1, 1} &&
         is_near_star(footprint_of<K, 0>.offsets);
}

#if defined(RIDGE_STENCIL_GPU_PASS)
inline constexpr std::array gpu_pass_variants{GpuPassVariant{RIDGE_STENCIL_GPU_PASS}};
#elif defined(RIDGE_TARGET_SIMT)
/// Those of the default at both warp widths, with what is left of the steps.
inline constexpr std::array gpu_pass_variants{GpuPassVariant{2, 3, 12, Store::plain, true},
                                              GpuPassVariant{2, 3, 6, Store::plain, true},
                                              GpuPassVariant{3, 3, 12, Store::plain, true},
                                              GpuPassVariant{3, 3, 6, Store::plain, true},
                                              GpuPassVariant{4, 3, 12, Store::plain, true},
                                              GpuPassVariant{4, 3, 6, Store::plain, true},
                                              GpuPassVariant{3, 3, 12},
                                              GpuPassVariant{3, 3, 6}};
#else
inline constexpr std::array gpu_pass_variants{GpuPassVariant{2},
                                              GpuPassVariant{3},
                                              GpuPassVariant{4},
                                              GpuPassVariant{2, 3, 12, Store::plain, true},
                                              GpuPassVariant{3, 3, 12, Store::plain, true},
                                              GpuPassVariant{4, 3, 12, Store::plain, true}};
#endif

/// What is compiled for a schedule and faces. The emulated GPU stores all results alike, and of the
/// two forms of faces, of which that for moving ones takes all, it has both for three sweeps only.
constexpr GpuPassVariant variant_of(const GpuPassSchedule& s, bool moving, bool emulated) {
  return {s.sweeps, s.rows, s.warps, emulated ? Store::plain : s.store,
          moving || (emulated && s.sweeps != 3)};
}

struct GpuPassList {
  static constexpr auto values = gpu_pass_variants;
};

} // namespace ridge::stencil
