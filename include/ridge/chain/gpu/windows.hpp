// Windows as GPU kernels take them.
#pragma once

#include <ridge/chain/uses.hpp>
#include <ridge/chain/window.hpp>
#include <ridge/device/view.hpp>

#include <cstdint>
#include <type_traits>

namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME {

/// A window in few bytes, as the arguments of a launch are to fit the first level of
/// the cache for constants (2 KiB). What C declares is not repeated.
template <class T>
struct NarrowWindow {
  T* data = nullptr;
  int row = 0, plane_rows = 0; ///< distances: elements, and rows
  unsigned row_bytes = 0;
  int offset = 0; ///< in shared memory, of the item at a tile's begin
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
/// Where instances are, for launches of a chain: there are none, they follow each other along the
/// last dimension, or a launch takes them one by one.
enum class Instances { none, merged, apart };
template <class C>
constexpr Instances instances_of() {
  if (outer_of<C>() == 0) return Instances::none;
  return merges_outer(Uses<C>{}) ? Instances::merged : Instances::apart;
}

template <int Arrays, Instances Are>
struct WindowInstances {
  template <class W>
  static RIDGE_DEVICE const W& moved(const W& windows, Index /*instance*/) {
    return windows;
  }
  [[nodiscard]] static constexpr RIDGE_FN Index instances() { return 1; }
  [[nodiscard]] static constexpr RIDGE_FN OneInstance at(Index /*instance*/) { return {}; }
};
template <int Arrays>
struct WindowInstances<Arrays, Instances::merged> {
  Instance first;

  template <class W>
  static RIDGE_DEVICE const W& moved(const W& windows, Index /*instance*/) {
    return windows;
  }
  [[nodiscard]] static constexpr RIDGE_FN Index instances() { return 1; }
  [[nodiscard]] RIDGE_FN const Instance& at(Index /*instance*/) const { return first; }
};
template <int Arrays>
struct WindowInstances<Arrays, Instances::apart> {
  Index count = 1;
  Index strides[Arrays] = {}; ///< elements
  Instance first;

  /// The windows of one of them.
  template <class W>
  static RIDGE_DEVICE W moved(const W& windows, Index instance) {
    W there = windows;
    RIDGE_UNROLL
    for (int i = 0; i < Arrays; ++i)
      there.all[i].data += instance * windows.strides[i];
    there.first.number += instance;
    return there;
  }
  [[nodiscard]] RIDGE_FN Index instances() const { return count; }
  [[nodiscard]] RIDGE_FN const Instance& at(Index /*instance*/) const { return first; }
};

/// How many of the arrays before `end` a launch of the operations First to Last has windows of.
template <class C, int First, int Last, bool Shared>
constexpr int windows_before(int end) {
  int count = 0;
  for (int i = 0; i < end; ++i) {
    const bool used = read_in<C>(First, Last, i) || written_in<C>(First, Last, i);
    count += used && (Shared || !local_to<C>(First, Last, i)) ? 1 : 0;
  }
  return count;
}
template <class C, int First, int Last, bool Shared>
inline constexpr int window_count = windows_before<C, First, Last, Shared>(arrays_of<C>) > 0
                                        ? windows_before<C, First, Last, Shared>(arrays_of<C>)
                                        : 1;

/// The arrays of the operations First to Last; temporaries of theirs alone are among them where
/// Shared says that they have memory.
template <class C, class T, int First, int Last, bool Shared>
struct NarrowWindows : WindowInstances<window_count<C, First, Last, Shared>, instances_of<C>()> {
  static constexpr bool has(int array) {
    return (read_in<C>(First, Last, array) || written_in<C>(First, Last, array)) &&
           (Shared || !local_to<C>(First, Last, array));
  }
  NarrowWindow<T> all[window_count<C, First, Last, Shared>];

  template <int I>
  [[nodiscard]] RIDGE_DEVICE const NarrowWindow<T>& of() const {
    constexpr int number = windows_before<C, First, Last, Shared>(I);
    static_assert(has(I));
    return all[number];
  }
};

/// Reports, on the emulated GPU, an access beyond what operation K declares of array I.
template <class C, int K, int I, class Lane>
RIDGE_DEVICE void check_reach([[maybe_unused]] Lane& lane, [[maybe_unused]] Offset o) {
#if defined(RIDGE_TARGET_SIMT)
  if (!within_reach<C, K, I>(o)) lane.undeclared_access(o.x, o.y, o.z);
#endif
}

/// Coordinates along y and z, and along x of chains of several dimensions, fit 32 bits.
template <class C>
using Coordinate = std::conditional_t<(C::dimensions.size() > 1), int, Index>;

/// a * b of two numbers that are not negative, in one instruction.
[[nodiscard]] RIDGE_DEVICE Index product(unsigned a, unsigned b) {
  return static_cast<Index>(static_cast<std::uint64_t>(a) * b);
}

/// An element of an array in memory: what lanes load from and store to. Where accesses are checked
/// it is known of which array.
template <class T>
struct Spot {
  Span<T> elements;
  Index at;
};

/// Says to CUDA's compiler that an address is complete: it would add the array's begin last
/// instead, once for each of the neighbours that have the rest in common.
template <class T>
RIDGE_DEVICE T* complete(T* address) {
#if defined(__CUDA_ARCH__)
  asm("" : "+l"(address));
#endif
  return address;
}

/// The element in that column, row and plane of an array in memory. Neighbours differ in their
/// rows, or where ColumnLast in their columns: each takes one instruction more.
template <class C, bool ColumnLast, class T>
[[nodiscard]] RIDGE_DEVICE Spot<T> spot_at(const NarrowWindow<T>& p, Coordinate<C> column, int row,
                                           int plane) {
  constexpr int rank = static_cast<int>(C::dimensions.size());
  const auto positive = [](int i) { return static_cast<unsigned>(i); };
#if defined(RIDGE_TARGET_SIMT)
  const Index rows = rank > 2 ? product(positive(plane), positive(p.plane_rows)) + row : Index{row};
  return {Span<T>(p.data, p.elements()), (rank > 1 ? rows * p.row : 0) + column};
#else
  const auto in_bytes = static_cast<Index>(column) * static_cast<Index>(sizeof(T));
  char* to = reinterpret_cast<char*>(p.data);
  if constexpr (rank > 2) {
    to += product(positive(plane), positive(p.plane_rows)) * p.row_bytes;
  }
  if constexpr (rank == 1) {
    to += in_bytes;
  } else if constexpr (ColumnLast) {
    to = complete(to + product(positive(row), p.row_bytes)) + in_bytes;
  } else {
    to = complete(to + in_bytes) + product(positive(row), p.row_bytes);
  }
  return {Span<T>(reinterpret_cast<T*>(to), 0), 0};
#endif
}

/// The neighbour at `o` of an item in an array in memory. Without Edges no neighbour in x lies
/// beyond the ends.
template <class C, int I, bool Profile, bool Edges, class T>
[[nodiscard]] RIDGE_DEVICE Spot<T> spot_in(const NarrowWindow<T>& p, const Index3& n, Index x,
                                           Index y, Index z, Offset o) {
  constexpr int rank = static_cast<int>(C::dimensions.size());
  constexpr Offset extra = C::arrays[I].extra;
  constexpr Edge edge = dimension_of<C>(0).edge;
  constexpr bool resolved = !Profile && Edges && resolves<edge>;
  using X = Coordinate<C>;
  X column = Profile ? X{0} : static_cast<X>(x);
  if constexpr (resolved) {
    column = resolve<edge>(column + o.x, static_cast<X>(n.x + extra.x), false);
  }
  const int row = rank < 2 ? 0
                           : resolve<dimension_of<C>(1).edge>(
                                 static_cast<int>(y) + o.y, static_cast<int>(n.y + extra.y), false);
  const int plane = rank < 3
                        ? 0
                        : resolve<dimension_of<C>(2).edge>(static_cast<int>(z) + o.z,
                                                           static_cast<int>(n.z + extra.z), false);
  // Windows of arrays with points beyond the ends begin at these.
  constexpr int before[3] = {beyond_of<C>(I, 0), beyond_of<C>(I, 1), beyond_of<C>(I, 2)};
  Spot<T> spot = spot_at<C, resolved>(p, column, row + before[1], plane + before[2]);
  if constexpr (!Profile && !resolved)
    spot.at += o.x + before[0]; // last: neighbours share an address
  return spot;
}

} // namespace ridge::chain::gpu::inline RIDGE_TARGET_NAME
