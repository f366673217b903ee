// Halo exchange of lattice fields: the sites around what a rank owns, from the ranks that own them.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/reach.hpp>
#include <ridge/launch/bound.hpp>

#include <memory>
#include <vector>

namespace ridge::lattice {

namespace detail {
/// Throws UsageError unless this is the part of a communicator's own rank.
void check_rank(const RankLattice& part, const comm::Communicator& ranks);
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
class HaloExchange {
public:
  /// Queue, lattice and fields must outlive it. Throws UsageError where a field is read farther
  /// than the lattice's depth.
  HaloExchange(comm::Communicator& ranks, Queue& queue, const RankLattice& part,
               const std::vector<FieldReach>& fields);
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  /// Sends what work given to the queue so far has made.
  void begin();
  /// Work given to the queue after it sees the halos.
  void finish();

  /// Bytes that this rank sends, and messages.
  [[nodiscard]] Bytes sent() const;
  [[nodiscard]] int messages() const;
  [[nodiscard]] comm::Carrier carrier() const;
  /// Whether begin and finish may be recorded in a graph of the queue.
  [[nodiscard]] bool can_be_recorded() const { return comm::needs_no_host(carrier()); }

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::lattice
