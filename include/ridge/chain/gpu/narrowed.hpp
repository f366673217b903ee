// From the windows of a call to those that GPU kernels take.
#pragma once

#include <ridge/chain/call.hpp>
#include <ridge/chain/gpu/windows.hpp>
#include <ridge/core/error.hpp>

#include <string>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

template <class C, class T>
NarrowWindow<T> narrowed_window(const Window<T>& w, const Array& array, int number) {
  const auto rows = w.row > 0 ? w.plane / w.row : 0;
  constexpr Index most_row = ((Index{1} << 32) - 1) / static_cast<Index>(sizeof(T));
  if (C::dimensions.size() > 1 && (w.row > most_row || w.row > (1 << 30) || rows > (1 << 30) ||
                                   w.mask_y > 32767 || w.mask_z > 32767)) {
    throw UsageError(std::string("array '") + array.name + "' has rows too long for a GPU launch");
  }
  NarrowWindow<T> p;
  // The first point that it holds: none has a negative place.
  const Index before =
      beyond_of<C>(number, 0) + beyond_of<C>(number, 1) * w.row + beyond_of<C>(number, 2) * w.plane;
  p.data = w.data == nullptr ? nullptr : w.data - before;
  p.row = static_cast<int>(w.row);
  p.plane_rows = static_cast<int>(rows);
  p.row_bytes = static_cast<unsigned>(w.row) * static_cast<unsigned>(sizeof(T));
  p.offset = static_cast<int>(w.offset);
  p.mask_y = static_cast<short>(w.mask_y);
  p.mask_z = static_cast<short>(w.mask_z);
  p.part_x = w.part_x;
  p.part_y = w.part_y;
  p.part_z = w.part_z;
#if defined(RIDGE_TARGET_SIMT)
  p.size = w.size + 2 * before;
#endif
  return p;
}

template <class C, class T, int First, int Last, bool Shared>
NarrowWindows<C, T, First, Last, Shared> narrowed(const Windows<C, T>& windows) {
  NarrowWindows<C, T, First, Last, Shared> narrow;
  int next = 0;
  for (int i = 0; i < arrays_of<C>; ++i) {
    if (!narrow.has(i)) continue;
    if constexpr (instances_of<C>() == Instances::apart)
      narrow.strides[next] = windows.of[i].instance;
    narrow.all[next++] =
        narrowed_window<C, T>(windows.of[i], C::arrays[static_cast<std::size_t>(i)], i);
  }
  if constexpr (instances_of<C>() == Instances::apart) narrow.count = windows.instances;
  if constexpr (instances_of<C>() != Instances::none) narrow.first = windows.first;
  return narrow;
}

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
