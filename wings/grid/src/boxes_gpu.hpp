// How threads of a GPU share the points of a grid, and what they read and write.
#pragma once

#include <ridge/device/launch.hpp>

#include "point_passes.hpp"

#include <algorithm>
#include <type_traits>

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

constexpr int block = 256;

template <class Lane>
struct Access {
  const Lane& lane;
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> operator()(const Span<T>& from, Index i) const {
    return lane.load(from, i);
  }
  template <class T>
  RIDGE_DEVICE std::remove_const_t<T> read(const Span<T>& from, Index i) const {
    return lane.load(from, i);
  }
  template <class T>
  RIDGE_DEVICE T read_written(const Span<T>& from, Index i) const {
    return lane.load_written(from, i);
  }
  template <class T>
  RIDGE_DEVICE void store(const Span<T>& to, Index i, std::type_identity_t<T> value) const {
    lane.store(to, i, value);
  }
};

/// Threads side by side in x, then in y; each has `planes` neighbouring planes.
struct Boxes {
  Index nx = 0, ny = 0, nz = 0;
  int wide = 32, high = 8, planes = 1;

  Boxes() = default;
  /// Of `most` planes a thread where there are enough blocks to fill a GPU.
  Boxes(Index3 n, int most) : nx(n.x), ny(n.y), nz(n.z), planes(most) {
    while (wide < block && ny == 1)
      wide *= 2;
    while (wide > 8 && wide / 2 >= nx)
      wide /= 2;
    high = block / wide;
    constexpr Index filled = 1024; // blocks
    while (planes > 1 && blocks_across() * ceil_div(nz, planes) < filled)
      planes /= 2;
    constexpr Index most_blocks = 65535; // along y and z
    planes = std::max(planes, static_cast<int>(ceil_div(nz, most_blocks)));
  }
  [[nodiscard]] Index blocks_across() const { return ceil_div(nx, wide) * ceil_div(ny, high); }
  [[nodiscard]] LaunchShape shape() const {
    return {{static_cast<int>(ceil_div(nx, wide)), static_cast<int>(ceil_div(ny, high)),
             static_cast<int>(ceil_div(nz, planes))},
            {wide, high, 1},
            0};
  }

  /// Calls `column(x, y, begin, end)` with the planes of this thread.
  template <class Lane, class Column>
  RIDGE_DEVICE void column(const Lane& lane, const Column& column) const {
    const Index x = Index{lane.block().x} * wide + lane.thread().x;
    const Index y = Index{lane.block().y} * high + lane.thread().y;
    const Index begin = Index{lane.block().z} * planes;
    if (x < nx && y < ny) column(x, y, begin, begin + planes < nz ? begin + planes : nz);
  }
};

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
