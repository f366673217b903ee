#include "rank_pieces.hpp"

#include <ridge/comm/gather.hpp>
#include <ridge/device/field.hpp>

namespace ridge::app {

namespace {

using comm::Box;

/// A piece as a box, x first.
Box box_of(const Piece& piece) {
  Box box{{0, 0, 0}, {1, 1, 1}};
  const auto rank = static_cast<int>(piece.start.size());
  for (int d = 0; d < rank; ++d) {
    const auto slow = static_cast<std::size_t>(rank - 1 - d);
    comm::along(box.begin, d) = piece.start[slow];
    comm::along(box.end, d) = piece.start[slow] + piece.count[slow];
  }
  return box;
}

/// Of a point within a packed box.
Index index_in(const Box& box, const Index3& at) {
  const Index3 n = box.extents();
  return (at.x - box.begin.x) + n.x * ((at.y - box.begin.y) + n.y * (at.z - box.begin.z));
}

} // namespace

Index index_in_whole(const Box& box, Index at, const Index3& points) {
  const Index3 n = box.extents();
  return (box.begin.x + at % n.x) +
         points.x * ((box.begin.y + at / n.x % n.y) + points.y * (box.begin.z + at / n.x / n.y));
}

const void* RankPieces::from_device(const void* mine, Index first, Index count) {
  const char* const data = static_cast<const char*>(mine) + first * bytes_;
  if (queue_.device().host_accessible()) {
    queue_.wait();
    return data;
  }
  const Bytes size{count * bytes_};
  if (staging_.size().value < size.value)
    staging_ = Memory(queue_.device(), size, "copying", Memory::Place::staging);
  copy_bytes_to_host(queue_, staging_.data(), data, size);
  queue_.wait();
  return staging_.data();
}

const void* RankPieces::bring(const Piece& piece, const void* mine) {
  if (ranks_.ranks() == 1) return from_device(mine, piece.first, piece.elements);
  // A piece is one run of the whole, and so is what a box has of it one of the box.
  const Box wanted = box_of(piece);
  const Box owned = grid_.owned(ranks_.rank());
  const Box own = comm::overlap(owned, wanted);
  const void* const part =
      own.empty() ? nullptr : from_device(mine, index_in(owned, own.begin), own.count());
  comm::gather_box(ranks_, grid_, wanted, part, bytes_, whole_);
  return ranks_.rank() > 0 ? nullptr : whole_.data();
}

} // namespace ridge::app
