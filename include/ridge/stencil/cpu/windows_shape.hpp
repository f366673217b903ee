// How the cpu lays out the rows that a tile of several planes keeps in the L1.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/cpu_schedule.hpp>

#include <algorithm>
#include <cstdint>

namespace ridge::stencil::cpu {

using ridge::cpu::line_bytes;

/// Lines of an L1 way: those at the same place of a page share a set.
inline constexpr int lines_a_page = 64;

/// Elements from the line's begin to `at`.
template <class T>
Index misfit_of(const T* at) {
  return static_cast<Index>(reinterpret_cast<std::uintptr_t>(at) % line_bytes / sizeof(T));
}

/// The planes whose rows a window holds, as distances from the first plane of a result: those of
/// which more than the own column is read.
struct WindowPlanes {
  int first = 0, count = 0;
};

template <auto Footprint>
constexpr WindowPlanes window_planes() {
  int low = 1;
  int high = 0;
  for (const Offset& o : Footprint.offsets) {
    if (o.x == 0 && o.y == 0) continue;
    if (low > high) low = high = o.z;
    low = o.z < low ? o.z : low;
    high = o.z > high ? o.z : high;
  }
  return low > high ? WindowPlanes{} : WindowPlanes{low, CpuSchedule::deep + high - low};
}

/// The shape of a kernel's tile. A slot of the ring holds a row of all planes of the windows.
///
/// Where the ring fills more than two thirds of an L1 of 48 KiB, the lines of the planes above and
/// below, which pass through the same sets for every row, would push parts of it out. There a slot
/// begins where the tile's own lines end within a page, and both together fill a page.
template <class K, class T>
struct DeepShape {
  static constexpr Offset r = radius_of<K>();
  static constexpr int depth = CpuSchedule::deep;
  static constexpr int line = line_bytes / static_cast<int>(sizeof(T));
  static constexpr int page = lines_a_page * line;
  static constexpr int halo = (r.x + line - 1) / line * line;

  template <std::size_t I>
  static constexpr WindowPlanes planes = window_planes<footprint_of<K, I>>();

  static constexpr int all_planes = []<std::size_t... I>(std::index_sequence<I...>) {
    return (0 + ... + planes<I>.count);
  }
  (std::make_index_sequence<inputs_of<K>>{});

  static constexpr int rows = 2 * r.y + 1;

  static constexpr int widest = 16 * line;
  static constexpr bool beside = rows * all_planes * (widest + 2 * halo) > 512 * line;
  static constexpr int tile =
      beside ? std::clamp((page - 2 * halo * all_planes) / (all_planes + 1) / line, 4, 16) * line
             : widest;
  static constexpr int pitch = tile + 2 * halo; ///< from a plane's row to the next plane's
  static constexpr int slot =
      beside ? (all_planes * pitch + tile + page - 1) / page * page : all_planes * pitch + line;
  static constexpr int elements = rows * slot + page;

  /// Where the window of input I begins in a slot.
  template <std::size_t I>
  static constexpr int begin() {
    if constexpr (I == 0) {
      return 0;
    } else {
      return begin<I - 1>() + planes<I - 1>.count * pitch;
    }
  }

  /// The first slot within `memory`, which is aligned to lines and holds `elements`, for the tile
  /// whose first point lies at `at`.
  static T* first_slot(T* memory, const T* at) {
    const auto place = [](const T* p) {
      return reinterpret_cast<std::uintptr_t>(p) / line_bytes % lines_a_page;
    };
    return memory + (place(at) + tile / line + lines_a_page - place(memory)) % lines_a_page * line;
  }
};

} // namespace ridge::stencil::cpu
