// Copying boxes of a field into one piece of memory and back, on the field's device.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/launch/bound.hpp>

#include <vector>

namespace ridge::comm {

/// Boxes that one launch copies: of at most this many fields and directions together.
inline constexpr int most_boxes = 26;

/// A box of a field and where it lies, packed, in the buffer; in elements.
struct BoxPlace {
  Index field = 0; ///< of the first point
  Index3 extents;
  Index buffer = 0;
};

/// T is a word of 16, 32 or 64 bits, of which each point of the field has one or several, next to
/// each other in x.
template <class T>
struct BoxCopies {
  Span<T> field, buffer;
  Index row = 0, plane = 0;
  bool to_field = false;
  /// Words that threads of a GPU copy at once: rows of all boxes, in the field and packed, begin at
  /// multiples of it and are as many words long.
  int width = 1;
  int count = 0;
  BoxPlace boxes[most_boxes];
};

/// Memory of a padded field: row and plane are the distances, in elements, between neighbours in y
/// and z.
struct FieldMemory {
  void* data = nullptr;
  Index3 extents;
  Index row = 0, plane = 0;
  int element_bytes = 8;

  template <class T>
  static FieldMemory of(const View<T>& view) {
    return {view.data, view.extents, view.row, view.plane, static_cast<int>(sizeof(T))};
  }
};

/// A box in coordinates of the memory.
struct MemoryBox {
  Index3 begin, extents;
  [[nodiscard]] Index count() const { return extents.x * extents.y * extents.z; }
};

/// A launch that copies the boxes, one after the other without gaps, to `buffer` or from it. Throws
/// UsageError for elements whose size is no multiple of two bytes.
[[nodiscard]] Bound bind_copies(Queue& queue, const FieldMemory& field,
                                const std::vector<MemoryBox>& boxes, void* buffer, bool to_field);

/// Names what each kind's module offers: `Bound(Queue&, const BoxCopies<T>&)`.
template <class T>
struct BoxCopier;

} // namespace ridge::comm
