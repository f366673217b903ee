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

/// Whether an input is read nowhere but on the axes, `reach` points away at most. `offsets` is its
/// footprint's.
template <class Offsets>
constexpr bool is_star(const Offsets& offsets, int reach) {
  for (const Offset& o : offsets) {
    const int away = (o.x < 0 ? -o.x : o.x) + (o.y < 0 ? -o.y : o.y) + (o.z < 0 ? -o.z : o.z);
    if (away > reach || o.x * o.x + o.y * o.y + o.z * o.z != away * away) return false;
  }
  return true;
}

/// The most sweeps that a GPU takes of such a kernel in one pass, 0 where it takes none: all inputs
/// are time levels, one or two, the newest is read on the axes, equally far along each, and the one
/// before at the point itself. `stars`: they are read so. The planes that sweeps of a larger radius
/// hold find no room in registers.
constexpr int most_gpu_pass_sweeps(int inputs, int levels, Offset radius, bool stars,
                                   int element_bytes) {
  const int r = radius.z;
  if (inputs != levels || levels > 2 || !stars || radius != Offset{r, r, r}) return 0;
  if (r == 2) return levels == 1 && element_bytes == 8 ? 2 : 0;
  return r == 1 ? 4 : 0;
}

template <class K, class T>
constexpr int most_gpu_pass_sweeps() {
  bool stars = is_star(footprint_of<K, 0>.offsets, radius_of<K>().z);
  if constexpr (inputs_of < K >> 1) stars = stars && is_star(footprint_of<K, 1>.offsets, 0);
  return most_gpu_pass_sweeps(inputs_of<K>, levels_of<K>(), radius_of<K>(), stars, sizeof(T));
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
#elif defined(RIDGE_AHEAD_MOVING_FACES)
/// Those of the default, for all faces: what tests on a GPU take.
inline constexpr std::array gpu_pass_variants{GpuPassVariant{2},
                                              GpuPassVariant{3},
                                              GpuPassVariant{4},
                                              GpuPassVariant{2, 3, 12, Store::plain, true},
                                              GpuPassVariant{3, 3, 12, Store::plain, true},
                                              GpuPassVariant{4, 3, 12, Store::plain, true}};
#else
inline constexpr std::array gpu_pass_variants{GpuPassVariant{2}, GpuPassVariant{3},
                                              GpuPassVariant{4}};
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
