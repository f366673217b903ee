// Comparing a stencil's output with the reference, in slabs, so that a check needs little memory.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/pattern/deviation.hpp>
#include <ridge/record/record.hpp>
#include <ridge/stencil/any_kernel.hpp>

#include <vector>

namespace ridge::stencil {

/// Boxes of whole rows into which a field is cut for checking.
struct Slab {
  Index y_begin, y_end, z_begin, z_end;
};
/// Slabs of at most about `bytes` of output each.
[[nodiscard]] std::vector<Slab> slabs_of(Index3 extents, int element_bytes, Index bytes);

/// A box of rows [y, y + rows) x planes [z, z + planes) of a device field, copied to the host.
class HostBox {
public:
  HostBox(Queue& queue, Bytes most);
  /// Copies the box; on devices whose memory the host can read, only remembers where it is.
  template <class T>
  View<const T> fetch(Queue& queue, const View<const T>& field, Index y, Index rows, Index z,
                      Index planes) {
    const T* const first = field.data + field.at(0, y, z);
    if (queue.device().host_accessible()) {
      return {first, {field.extents.x, rows, planes}, field.row, field.plane};
    }
    copy(queue, first, Bytes{field.row * static_cast<Index>(sizeof(T)) * rows},
         Bytes{field.plane * static_cast<Index>(sizeof(T))}, planes);
    return {static_cast<const T*>(memory_.data()),
            {field.extents.x, rows, planes},
            field.row,
            field.row * rows};
  }

private:
  void copy(Queue& queue, const void* from, Bytes plane, Bytes pitch, Index planes);
  Memory memory_;
};

/// Compares the output of a launch, whose memory held bytes `poison_of_outputs` before, with the
/// reference. `tolerance` is relative to the terms of each point.
template <class T>
[[nodiscard]] Check check_points(Queue& queue, const CheckedKernel<T>& kernel, Inputs<T> in,
                                 const View<T>& out, double tolerance);

} // namespace ridge::stencil
