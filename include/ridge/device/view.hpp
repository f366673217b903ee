// Elements in device memory as kernels see them: contiguous ones, and boxes.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/core/index.hpp>

#include <type_traits>

namespace ridge {

/// Contiguous elements. Lanes address it by index, so that the emulated GPU can check them.
template <class T>
struct Span {
  T* data = nullptr;
  Index size = 0;

  Span() = default;
  RIDGE_FN Span(T* data_, Index size_) : data(data_), size(size_) {}
  /// A read-only view of the same elements.
  template <class U>
  requires std::is_same_v<const U, T>
      RIDGE_FN Span(const Span<U>& s) // NOLINT(google-explicit-constructor): as for pointers
      : data(s.data), size(s.size) {}
};

/// A box of up to three dimensions, x contiguous. `row` and `plane` are the distances, in elements,
/// between neighbours in y and in z.
template <class T>
struct View {
  T* data = nullptr;
  Index3 extents;
  Index row = 0;
  Index plane = 0;

  View() = default;
  /// A read-only view of a box.
  template <class U>
  requires std::is_same_v<const U, T>
      RIDGE_FN View(const View<U>& v) // NOLINT(google-explicit-constructor): as for pointers
      : data(v.data), extents(v.extents), row(v.row), plane(v.plane) {}
  /// A packed box.
  RIDGE_FN View(T* data_, Index3 extents_)
      : data(data_), extents(extents_), row(extents_.x), plane(extents_.x * extents_.y) {}
  RIDGE_FN View(T* data_, Index3 extents_, Index row_, Index plane_)
      : data(data_), extents(extents_), row(row_), plane(plane_) {}

  [[nodiscard]] RIDGE_FN Index at(Index x, Index y, Index z) const {
    return x + y * row + z * plane;
  }
  /// Elements from the first to the last point, gaps included.
  [[nodiscard]] RIDGE_FN Index span() const {
    return at(extents.x - 1, extents.y - 1, extents.z - 1) + 1;
  }
  [[nodiscard]] RIDGE_FN Span<T> elements() const { return {data, span()}; }
};

} // namespace ridge
