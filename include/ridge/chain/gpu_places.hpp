// Arrays as GPU kernels take them.
#pragma once

#include <ridge/chain/call.hpp>
#include <ridge/core/error.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// A window as kernels take it: short, as the arguments of a launch are to fit the first level of
/// the cache for constants (2 KiB). What C declares is not repeated.
template <class T>
struct Place {
  T* data = nullptr;
  int row = 0, plane_rows = 0; ///< distances: elements, and rows
  int offset = 0;              ///< in shared memory, of the item at a tile's begin
  short mask_y = -1, mask_z = -1;
  bool part_x = false, part_y = false, part_z = false;
#if defined(RIDGE_TARGET_SIMT)
  Index size = 0; ///< for the emulated GPU's checks
  [[nodiscard]] Index elements() const {
    return size;
  }
#else
  [[nodiscard]] RIDGE_DEVICE Index elements() const {
    return 0;
  }
#endif
};
/// The arrays of the operations First to Last; temporaries of theirs alone are among them where
/// Shared says that they have memory.
template <class C, class T, int First, int Last, bool Shared>
struct Places {
  static constexpr bool has(int array) {
    return (read_in<C>(First, Last, array) || written_in<C>(First, Last, array)) &&
           (Shared || !local_to<C>(First, Last, array));
  }
  /// How many of the arrays before `end` are here.
  static constexpr int count_to(int end) {
    int count = 0;
    for (int i = 0; i < end; ++i)
      count += has(i) ? 1 : 0;
    return count;
  }
  static constexpr int count = count_to(arrays_of<C>);

  Place<T> places[count > 0 ? count : 1];

  template <int I>
  [[nodiscard]] RIDGE_DEVICE const Place<T>& of() const {
    constexpr int number = count_to(I);
    static_assert(has(I));
    return places[number];
  }
};

template <class C, class T>
Place<T> place_of(const Window<T>& w, const Array& array) {
  const auto rows = w.row > 0 ? w.plane / w.row : 0;
  if (C::dimensions.size() > 1 &&
      (w.row > (1 << 30) || rows > (1 << 30) || w.mask_y > 32767 || w.mask_z > 32767)) {
    throw UsageError(std::string("array '") + array.name + "' has rows too long for a GPU launch");
  }
  Place<T> p;
  p.data = w.data;
  p.row = static_cast<int>(w.row);
  p.plane_rows = static_cast<int>(rows);
  p.offset = static_cast<int>(w.offset);
  p.mask_y = static_cast<short>(w.mask_y);
  p.mask_z = static_cast<short>(w.mask_z);
  p.part_x = w.part_x;
  p.part_y = w.part_y;
  p.part_z = w.part_z;
#if defined(RIDGE_TARGET_SIMT)
  p.size = w.size;
#endif
  return p;
}

template <class C, class T, int First, int Last, bool Shared>
Places<C, T, First, Last, Shared> places_of(const Windows<C, T>& windows) {
  Places<C, T, First, Last, Shared> places;
  int next = 0;
  for (int i = 0; i < arrays_of<C>; ++i) {
    if (!places.has(i)) continue;
    places.places[next++] = place_of<C, T>(windows.of[i], C::arrays[static_cast<std::size_t>(i)]);
  }
  return places;
}

/// Coordinates along y and z, and along x of chains of several dimensions, fit 32 bits.
template <class C>
using Coordinate = std::conditional_t<(C::dimensions.size() > 1), int, Index>;

/// a * b of two numbers that are not negative, in one instruction.
[[nodiscard]] RIDGE_DEVICE Index product(int a, int b) {
  return static_cast<Index>(static_cast<std::uint64_t>(static_cast<unsigned>(a)) *
                            static_cast<unsigned>(b));
}

/// Where the neighbour at `o` of an item is in an array in memory. Without Edges no neighbour in x
/// lies beyond the ends.
template <class C, int I, bool Profile, bool Edges, class T>
[[nodiscard]] RIDGE_DEVICE Index place_in(const Place<T>& p, const Index3& n, Index x, Index y,
                                          Index z, Offset o) {
  constexpr int rank = static_cast<int>(C::dimensions.size());
  constexpr Offset extra = C::arrays[I].extra;
  constexpr Edge edge = dimension_of<C>(0).edge;
  Index at = 0;
  int constant = 0; // added last, so that neighbours share an address
  if constexpr (Profile) {
  } else if constexpr (Edges && edge != Edge::none) {
    at = resolve<edge>(static_cast<Coordinate<C>>(x) + o.x,
                       static_cast<Coordinate<C>>(n.x + extra.x), false);
  } else {
    at = x;
    constant = o.x;
  }
  if constexpr (rank > 1) {
    at += product(resolve<dimension_of<C>(1).edge>(static_cast<int>(y) + o.y,
                                                   static_cast<int>(n.y + extra.y), false),
                  p.row);
  }
  if constexpr (rank > 2) {
    at += product(resolve<dimension_of<C>(2).edge>(static_cast<int>(z) + o.z,
                                                   static_cast<int>(n.z + extra.z), false),
                  p.plane_rows) *
          p.row;
  }
  return at + constant;
}

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
