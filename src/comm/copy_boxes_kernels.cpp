// Compiled once per device kind.
#include <ridge/comm/box_launch.hpp>
#include <ridge/comm/copy_boxes.hpp>
#include <ridge/device/offer.hpp>

#include <cstdint>
#include <cstring>

namespace ridge::comm {

namespace {

#if defined(RIDGE_TARGET_CPU)

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

#else

/// A block row of the grid for each box; threads walk over its points, x fastest, so that the
/// packed side is contiguous: as many words at once as all rows allow.
template <class T>
struct CopyBoxes {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "copying boxes";

  BoxCopies<T> copies;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const BoxPlace& box = copies.boxes[lane.block().y];
    if constexpr (sizeof(T) == 2) {
      if (copies.width == 8) return walk<8>(lane, box);
    }
    if constexpr (sizeof(T) <= 4) {
      if (copies.width == 4) return walk<4>(lane, box);
    }
    if (copies.width >= 2) return walk<2>(lane, box);
    walk<1>(lane, box);
  }

private:
  template <int N, class Lane>
  RIDGE_DEVICE void walk(Lane& lane, const BoxPlace& box) const {
    const Index packs = box.extents.x / N * box.extents.y * box.extents.z;
    const Index stride = Index{lane.grid_extent().x} * max_threads;
    const Index first = Index{lane.block().x} * max_threads + lane.thread().x;
    if (packs <= INT32_MAX - stride) { // divisions of 64 bits take many instructions
      walk<N, std::uint32_t>(lane, box, first, packs, stride);
    } else {
      walk<N, Index>(lane, box, first, packs, stride);
    }
  }

  template <int N, class I, class Lane>
  RIDGE_DEVICE void walk(Lane& lane, const BoxPlace& box, Index first, Index packs,
                         Index stride) const {
    const I nx = static_cast<I>(box.extents.x / N);
    const I ny = static_cast<I>(box.extents.y);
    for (I i = static_cast<I>(first); i < static_cast<I>(packs); i += static_cast<I>(stride)) {
      const I row = i / nx;
      const I z = row / ny;
      const Index at = box.field + Index{i - row * nx} * N + Index{row - z * ny} * copies.row +
                       Index{z} * copies.plane;
      const Index packed = box.buffer + Index{i} * N;
      if (copies.to_field) {
        copy<N>(lane, copies.field, at, copies.buffer, packed);
      } else {
        copy<N>(lane, copies.buffer, packed, copies.field, at);
      }
    }
  }

  template <int N, class Lane>
  RIDGE_DEVICE void copy(Lane& lane, const Span<T>& to, Index to_place, const Span<T>& from,
                         Index from_place) const {
    if constexpr (N == 1) {
      lane.store(to, to_place, lane.load_written(from, from_place));
    } else {
      lane.store(to, to_place, lane.template load_pack<N>(Span<const T>(from), from_place));
    }
  }
};

template <class T>
Bound bind(Queue& queue, const BoxCopies<T>& copies) {
  return bind_box_copies<CopyBoxes<T>>(queue, copies, [&](const BoxPlace& box) {
    return box.extents.x / copies.width * box.extents.y * box.extents.z;
  });
}

#endif

const Offer half_words(kind_of<Here>, typeid(BoxCopier<std::uint16_t>*), &bind<std::uint16_t>);
const Offer words(kind_of<Here>, typeid(BoxCopier<std::uint32_t>*), &bind<std::uint32_t>);
const Offer long_words(kind_of<Here>, typeid(BoxCopier<std::uint64_t>*), &bind<std::uint64_t>);

} // namespace

} // namespace ridge::comm
