#include "rank_pieces.hpp"

#include <ridge/device/field.hpp>

#include <algorithm>
#include <cstring>

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

Box common(const Box& a, const Box& b) {
  Box both;
  for (int d = 0; d < 3; ++d) {
    comm::along(both.begin, d) = std::max(comm::along(a.begin, d), comm::along(b.begin, d));
    comm::along(both.end, d) = std::min(comm::along(a.end, d), comm::along(b.end, d));
  }
  return both;
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

/// Puts the packed points of `box` where they belong in the piece.
void RankPieces::place(const Box& box, const Box& piece, const char* from) {
  if (box.empty()) return;
  const auto row = static_cast<std::size_t>(box.extents().x * bytes_);
  for (Index z = box.begin.z; z < box.end.z; ++z) {
    for (Index y = box.begin.y; y < box.end.y; ++y, from += row)
      std::memcpy(whole_.data() + index_in(piece, {box.begin.x, y, z}) * bytes_, from, row);
  }
}

const void* RankPieces::bring(const Piece& piece, const void* mine) {
  if (ranks_.ranks() == 1) return from_device(mine, piece.first, piece.elements);
  // A piece is one run of the whole, and so is what a box has of it one of the box.
  const Box wanted = box_of(piece);
  const Box owned = grid_.owned(ranks_.rank());
  const Box own = common(owned, wanted);
  const void* const part =
      own.empty() ? nullptr : from_device(mine, index_in(owned, own.begin), own.count());
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  if (ranks_.rank() > 0) {
    if (!own.empty()) sends.push_back({const_cast<void*>(part), Bytes{own.count() * bytes_}, 0, 0});
  } else {
    whole_.resize(static_cast<std::size_t>(piece.elements * bytes_));
    received_.resize(whole_.size());
    char* at = received_.data();
    for (int rank = 1; rank < ranks_.ranks(); ++rank) {
      const Bytes size{common(grid_.owned(rank), wanted).count() * bytes_};
      if (size.value == 0) continue;
      receives.push_back({at, size, rank, 0});
      at += size.value;
    }
  }
  const auto transfer = ranks_.bind(std::move(sends), std::move(receives));
  transfer->begin();
  transfer->finish();
  if (ranks_.rank() > 0) return nullptr;
  if (!own.empty()) place(own, wanted, static_cast<const char*>(part));
  const char* from = received_.data();
  for (int rank = 1; rank < ranks_.ranks(); ++rank) {
    const Box box = common(grid_.owned(rank), wanted);
    place(box, wanted, from);
    from += box.count() * bytes_;
  }
  return whole_.data();
}

} // namespace ridge::app
