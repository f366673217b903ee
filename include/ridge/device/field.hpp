// Fields: data on a device with extents and a layout; views: what kernels see of them.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/device/view.hpp>

#include <string_view>

namespace ridge {

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
void copy_bytes_on_device(Queue& queue, void* to, const void* from, Bytes bytes);
/// Copies rows, one after the other without gaps on the host, and `pitch` apart on the device.
void copy_rows_to_device(Queue& queue, void* to, Bytes to_pitch, const void* from, Bytes row,
                         Index rows);
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
