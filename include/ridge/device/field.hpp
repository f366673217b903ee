// Fields: data on a device with extents and a layout; views: what kernels see of them.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/memory.hpp>

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

/// Owns the memory of a packed field of `T` on a device.
template <class T>
class Field {
public:
  Field() = default;
  /// Throws Failure with the need and what there is when it does not fit.
  Field(const Device& device, const Extents& extents, std::string_view name = "field")
      : extents_(extents),
        memory_(device, Bytes{extents.count() * static_cast<Index>(sizeof(T))}, name) {}

  [[nodiscard]] const Extents& extents() const { return extents_; }
  [[nodiscard]] Index count() const { return extents_.count(); }
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] View<T> view() const { return {data(), extents_.xyz()}; }
  [[nodiscard]] Span<T> elements() const { return {data(), count()}; }

private:
  Extents extents_;
  Memory memory_;
};

/// Copies `count` elements in queue order; host memory must stay valid until the queue was waited
/// for.
template <class T>
void copy_to_device(Queue& queue, T* to, const T* from, Index count);
template <class T>
void copy_to_host(Queue& queue, T* to, const T* from, Index count);

/// Untyped forms of the above.
void copy_bytes_to_device(Queue& queue, void* to, const void* from, Bytes bytes);
void copy_bytes_to_host(Queue& queue, void* to, const void* from, Bytes bytes);
/// Copies a box between a device view and a packed host array of the same extents.
void copy_rows_to_host(Queue& queue, void* to, const void* from, Bytes from_pitch, Bytes row,
                       Index rows);

template <class T>
void copy_to_device(Queue& queue, T* to, const T* from, Index count) {
  copy_bytes_to_device(queue, to, from, Bytes{count * static_cast<Index>(sizeof(T))});
}
template <class T>
void copy_to_host(Queue& queue, T* to, const T* from, Index count) {
  copy_bytes_to_host(queue, to, from, Bytes{count * static_cast<Index>(sizeof(T))});
}

} // namespace ridge
