// Halo exchange of lattice fields: the sites around what a rank owns, from the ranks that own them.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/reach.hpp>

#include <vector>

namespace ridge::lattice {

namespace detail {
/// Throws UsageError unless this rank of a grid is a communicator's own.
void check_rank(const Extents& grid, int rank, const comm::Communicator& ranks);

/// Of a box, or a window, of sites that a rank owns: `depth` layers that it sends across one side
/// along a dimension, and those beyond the other side that it receives then.
template <class Box>
struct Faces {
  Box sent, received;
};
/// `side`: 1 for what lies above the own sites, whose rank is the one above, and -1 for below.
template <class Box>
[[nodiscard]] Faces<Box> faces_of(const Box& owned, int d, int side, int depth) {
  Faces<Box> faces{owned, owned};
  const int begin = owned.begin[d];
  const int end = owned.end[d];
  faces.sent.begin[d] = side < 0 ? end - depth : begin;
  faces.sent.end[d] = faces.sent.begin[d] + depth;
  faces.received.begin[d] = side < 0 ? begin - depth : end;
  faces.received.end[d] = faces.received.begin[d] + depth;
  return faces;
}
} // namespace detail

/// Boxes that one launch copies: two sides of each dimension.
inline constexpr int most_halo_boxes = 2 * max_rank;

/// A box of sites and where it lies, packed, in the buffer, in words.
struct HaloBox {
  SiteBox sites;
  Index buffer = 0;
};

/// Boxes of a field's sites to one piece of memory, or back. T is a word of 32 or 64 bits, of which
/// a number has `words`. Packed, sites follow each other with x fastest, each with all its numbers:
/// so the sender may lie in memory as it likes.
template <class T>
struct HaloCopies {
  Span<T> field, buffer;
  Geometry geometry;
  int components = 1, words = 1;
  bool to_field = false;
  int count = 0;
  HaloBox boxes[most_halo_boxes];
};

/// Names what each kind's module offers: `Bound(Queue&, const HaloCopies<T>&)`.
template <class T>
struct HaloCopier;

/// An exchange of fields, bound once. Faces alone travel together; where a kernel reads along two
/// dimensions at once, one dimension after the other, so that edges and corners come along.
/// Messages travel on a queue of their own. Collective; begin and finish too.
class HaloExchange : public comm::Transfer {
public:
  /// Queue, lattice and fields must outlive it. Throws UsageError where a field is read farther
  /// than the lattice's depth.
  HaloExchange(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
               const std::vector<FieldReach>& fields);
};

} // namespace ridge::lattice
