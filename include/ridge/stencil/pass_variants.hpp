// Variants of a pass on a GPU, and kernels for which there is one. As for single sweeps
// (variants.hpp): anything that is not compiled ahead is compiled when it is asked for; that
// compilation defines RIDGE_STENCIL_GPU_PASS as the one variant wanted.
#pragma once

#include <ridge/stencil/gpu_pass_schedule.hpp>
#include <ridge/stencil/kernel.hpp>
#include <ridge/stencil/levels.hpp>
#include <ridge/stencil/schedule_fields.hpp>

#include <array>

namespace ridge::stencil {

/// The compiled part of GpuPassSchedule.
struct GpuPassVariant {
  int sweeps = 4;
  int rows = 2;
  int warps = 16;
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

/// Rows of a thread and warps of a block.
struct GpuPassShape {
  int rows, warps;
  friend constexpr bool operator==(const GpuPassShape&, const GpuPassShape&) = default;
};

/// The shape that defaults take: of those measured the fastest, as a rule one whose registers hold
/// all (docs/design/sweeps.md).
constexpr GpuPassShape usual_pass_shape(int sweeps, int levels, int radius) {
  if (radius > 1) return {3, 8};
  return sweeps == 4 || (sweeps == 3 && levels > 1) ? GpuPassShape{2, 16} : GpuPassShape{3, 12};
}

/// The shape where one of the two is given, the other 0; for warps of `width` lanes.
constexpr GpuPassShape pass_shape(int rows, int warps, GpuPassShape usual, int width) {
  const int halves = width / 32;
  if (rows == 0 && warps == 0) return {usual.rows, usual.warps / halves};
  if (warps == 0 && rows == usual.rows) return {rows, usual.warps / halves};
  // So many lanes have registers for so many rows.
  if (warps == 0) return {rows, (rows < 3 ? 16 : rows == 3 ? 12 : 8) / halves};
  if (rows == 0) return {warps * halves > 12 ? 2 : warps * halves > 8 ? 3 : 4, warps};
  return {rows, warps};
}

#if defined(RIDGE_STENCIL_GPU_PASS)
template <class K, class T>
struct GpuPassList {
  static constexpr auto values = std::array{GpuPassVariant{RIDGE_STENCIL_GPU_PASS}};
};
#else
template <class K>
constexpr GpuPassVariant usual_pass(int sweeps, int width, bool moving) {
  const GpuPassShape usual = usual_pass_shape(sweeps, levels_of<K>(), radius_of<K>().z);
  const GpuPassShape shape = pass_shape(0, 0, usual, width);
  return {sweeps, shape.rows, shape.warps, Store::plain, moving};
}

/// Ahead is what defaults pick, with what is left of the steps.
template <class K, class T>
struct GpuPassList {
#if defined(RIDGE_TARGET_SIMT)
  // At both warp widths.
  static constexpr auto values = std::array{
      usual_pass<K>(2, 32, true),  usual_pass<K>(2, 64, true), usual_pass<K>(3, 32, true),
      usual_pass<K>(3, 64, true),  usual_pass<K>(4, 32, true), usual_pass<K>(4, 64, true),
      usual_pass<K>(3, 32, false), usual_pass<K>(3, 64, false)};
#elif defined(RIDGE_AHEAD_MOVING_FACES)
  // For all faces: what tests on a GPU take.
  static constexpr auto values = std::array{
      usual_pass<K>(2, 32, false), usual_pass<K>(3, 32, false), usual_pass<K>(4, 32, false),
      usual_pass<K>(2, 32, true),  usual_pass<K>(3, 32, true),  usual_pass<K>(4, 32, true)};
#else
  // Passes of two time levels have no shorter ones, each of which takes nvcc a minute: the rest of
  // the steps is taken in single sweeps.
  static constexpr auto values = [] {
    if constexpr (levels_of<K>() > 1) {
      return std::array{usual_pass<K>(4, 32, false), usual_pass<K>(4, 32, true)};
    } else if constexpr (sizeof(T) == 8) {
      return std::array{usual_pass<K>(2, 32, false), usual_pass<K>(3, 32, false),
                        usual_pass<K>(4, 32, false), usual_pass<K>(3, 32, true),
                        usual_pass<K>(4, 32, true)};
    } else {
      return std::array{usual_pass<K>(2, 32, false), usual_pass<K>(3, 32, false),
                        usual_pass<K>(4, 32, false), usual_pass<K>(4, 32, true)};
    }
  }();
#endif
};
#endif

/// The variant for a schedule and faces. The emulated GPU stores all results alike, and of the
/// two forms of faces, of which that for moving ones takes all, it has both for three sweeps only.
constexpr GpuPassVariant variant_of(const GpuPassSchedule& s, bool moving, bool emulated) {
  return {s.sweeps, s.rows, s.warps, emulated ? Store::plain : s.store,
          moving || (emulated && s.sweeps != 3)};
}

} // namespace ridge::stencil
