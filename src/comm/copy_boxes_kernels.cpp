// Compiled once per device kind.
#include <ridge/comm/box_launch.hpp>
#include <ridge/comm/copy_boxes.hpp>
#include <ridge/device/offer.hpp>

#include <cstdint>

#if defined(RIDGE_TARGET_CPU)

#include <cstring>

namespace ridge::comm {

namespace {

/// Rows [begin, end) of one box.
template <class T>
void copy_rows(const BoxCopies<T>& c, const BoxPlace& box, cpu::Range rows) {
  const auto bytes = static_cast<std::size_t>(box.extents.x) * sizeof(T);
  for (Index r = rows.begin; r < rows.end; ++r) {
    const Index y = r % box.extents.y;
    const Index z = r / box.extents.y;
    T* const field = c.field.data + box.field + y * c.row + z * c.plane;
    T* const packed = c.buffer.data + box.buffer + r * box.extents.x;
    if (box.extents.x <= 4) { // a call for each few words would take longer than they do
      for (Index x = 0; x < box.extents.x; ++x)
        (c.to_field ? field[x] : packed[x]) = c.to_field ? packed[x] : field[x];
    } else if (c.to_field) {
      std::memcpy(field, packed, bytes);
    } else {
      std::memcpy(packed, field, bytes);
    }
  }
}

template <class T>
Bound bind(Queue& /*queue*/, const BoxCopies<T>& copies) {
  const auto rows = [](const BoxPlace& box) { return box.extents.y * box.extents.z; };
  return bind_box_copies(copies, rows, &copy_rows<T>);
}

} // namespace

} // namespace ridge::comm

#else

namespace ridge::comm {

namespace {

/// A block row of the grid for each box; threads walk over its points, x fastest, so that the
/// packed side is contiguous.
template <class T>
struct CopyBoxes {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "copying boxes";

  BoxCopies<T> copies;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const BoxPlace& box = copies.boxes[lane.block().y];
    const Index points = box.extents.x * box.extents.y * box.extents.z;
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    const Index first = Index{lane.block().x} * max_threads + lane.thread().x;
    if (points <= INT32_MAX - stride) { // divisions of 64 bits take many instructions
      walk<std::uint32_t>(lane, box, first, points, stride);
    } else {
      walk<Index>(lane, box, first, points, stride);
    }
  }

private:
  template <class I, class Lane>
  RIDGE_DEVICE void walk(Lane& lane, const BoxPlace& box, Index first, Index points,
                         Index stride) const {
    const I nx = static_cast<I>(box.extents.x);
    const I ny = static_cast<I>(box.extents.y);
    for (I i = static_cast<I>(first); i < static_cast<I>(points); i += static_cast<I>(stride)) {
      const I row = i / nx;
      const I z = row / ny;
      const Index at = box.field + Index{i - row * nx} + Index{row - z * ny} * copies.row +
                       Index{z} * copies.plane;
      const Index packed = box.buffer + Index{i};
      if (copies.to_field) {
        lane.store(copies.field, at, lane.load_written(copies.buffer, packed));
      } else {
        lane.store(copies.buffer, packed, lane.load_written(copies.field, at));
      }
    }
  }
};

template <class T>
Bound bind(Queue& queue, const BoxCopies<T>& copies) {
  return bind_box_copies<CopyBoxes<T>>(queue, copies, [](const BoxPlace& box) {
    return box.extents.x * box.extents.y * box.extents.z;
  });
}

} // namespace

} // namespace ridge::comm

#endif

namespace ridge::comm {

namespace {

const Offer words(kind_of<Here>, typeid(BoxCopier<std::uint32_t>*), &bind<std::uint32_t>);
const Offer long_words(kind_of<Here>, typeid(BoxCopier<std::uint64_t>*), &bind<std::uint64_t>);

} // namespace

} // namespace ridge::comm
