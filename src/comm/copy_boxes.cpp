#include <ridge/comm/copy_boxes.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>

#include "../core/refuse.hpp"

#include <cstdint>
#include <string>

namespace ridge::comm {

namespace {

/// The most words of at most 16 bytes together that every row of every box begins at a multiple of,
/// in the field and packed.
template <class T>
int width_of(const BoxCopies<T>& copies) {
  Index places = copies.row | copies.plane | static_cast<Index>(16 / sizeof(T));
  for (const T* data : {copies.field.data, copies.buffer.data}) {
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    places |= static_cast<Index>(at % 16 / sizeof(T));
  }
  for (int b = 0; b < copies.count; ++b) {
    const BoxPlace& box = copies.boxes[b];
    places |= box.field | box.buffer | box.extents.x;
  }
  return static_cast<int>(places & -places); // the lowest bit: what divides all of them
}

template <class T>
Bound bind_words(Queue& queue, const FieldMemory& field, const std::vector<MemoryBox>& boxes,
                 void* buffer, bool to_field) {
  const Index words = field.element_bytes / static_cast<Index>(sizeof(T));
  BoxCopies<T> copies;
  copies.row = field.row * words;
  copies.plane = field.plane * words;
  copies.to_field = to_field;
  const View<T> whole(static_cast<T*>(field.data),
                      {field.extents.x * words, field.extents.y, field.extents.z}, copies.row,
                      copies.plane);
  copies.field = whole.elements();
  Index at = 0;
  for (const MemoryBox& box : boxes) {
    BoxPlace& place = copies.boxes[copies.count++];
    place.field = whole.at(box.begin.x * words, box.begin.y, box.begin.z);
    place.extents = {box.extents.x * words, box.extents.y, box.extents.z};
    place.buffer = at;
    at += box.count() * words;
  }
  copies.buffer = {static_cast<T*>(buffer), at};
  copies.width = width_of(copies);
  using Bind = Bound(Queue&, const BoxCopies<T>&);
  return offered<Bind>(queue.device().kind(), typeid(BoxCopier<T>*))(queue, copies);
}

} // namespace

Bound bind_copies(Queue& queue, const FieldMemory& field, const std::vector<MemoryBox>& boxes,
                  void* buffer, bool to_field) {
  refuse_if(boxes.size() > most_boxes, "a launch copies at most {} boxes, not {}", most_boxes,
            boxes.size());
  if (field.element_bytes % 8 == 0)
    return bind_words<std::uint64_t>(queue, field, boxes, buffer, to_field);
  if (field.element_bytes % 4 == 0)
    return bind_words<std::uint32_t>(queue, field, boxes, buffer, to_field);
  if (field.element_bytes % 2 == 0)
    return bind_words<std::uint16_t>(queue, field, boxes, buffer, to_field);
  throw UsageError("elements of a field over ranks have a multiple of two bytes, not " +
                   std::to_string(field.element_bytes));
}

} // namespace ridge::comm
