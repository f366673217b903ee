// Trees of several ranks, each over bodies of its own: to each rank the others send the nodes and
// bodies that its bodies need, so that it walks as if it had all of them. J. K. Salmon, PhD thesis,
// Caltech (1991); M. S. Warren and J. K. Salmon, Supercomputing '92.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/spatial/sort.hpp>

#include <vector>

namespace ridge::pairs {

/// Boxes that say where a rank's bodies are, at most: each of bodies that follow each other along
/// the curve, more of them where bodies are thin. So many boxes that follow each other are looked
/// at together first.
inline constexpr Index most_boxes = 8192, boxes_together = 64;
/// A box: the least x, y, z and one more number, the greatest, and the largest need.
inline constexpr Index box_values = 8;

/// What a node is to another rank.
enum class NodeUse : std::uint32_t {
  none,
  opened, ///< its children are needed, too
  far,    ///< from all boxes: its moments are enough
  bodies  ///< a leaf that is near one
};

/// One rank's tree and what another needs of it, as items read and write them.
template <class P>
struct Essentials {
  using S = typename P::Stored;
  using T = typename P::Computed;

  TreeWalk<P> walk; ///< over the own tree, reaches of nodes known
  Span<S> runs;     ///< boxes of `bodies_of_run` bodies each
  Index bodies_of_run = 1;
  /// Boxes of the other rank, and those of `boxes_together` of them each.
  Span<const S> boxes, wide_boxes;
  Span<std::uint32_t> uses; ///< of nodes
  /// Of nodes and one more: whether each is kept, how many bodies it brings; then sums of those
  /// before.
  Span<std::uint32_t> numbers, places;

  Span<S> centres, bodies; ///< as Build has them, of what is kept
  Span<T> moments, higher;
  Span<std::uint32_t> links;

  /// From links of a piece to those of the whole.
  Span<const std::uint32_t> links_from;
  std::uint32_t first_node = 0, first_body = 0;
  /// Nodes above all pieces, 2 numbers each: as in links, or `copied_node` and which.
  Span<const std::uint32_t> tops;
};

/// In `tops` the second number of a node that is at another place, too.
inline constexpr std::uint32_t copied_node = 0xffffffffu;

enum class EssentialStep {
  runs,   ///< boxes of runs of bodies
  begin,  ///< nothing but the root is looked at
  mark,   ///< what nodes [begin, end) of one level are to the other rank
  pack,   ///< what is kept, once numbers and places are known
  rebase, ///< links of `end` nodes
  tops    ///< nodes above all pieces
};

/// What each kind's module offers under Essentials<P>: a step in queue order.
template <class P>
using FindEssentials = void(Queue& queue, EssentialStep step, const Essentials<P>& e, Index begin,
                            Index end);

/// What came of one exchange.
struct EssentialCounts {
  Index nodes = 0, bodies = 0; ///< received
};

template <class P>
class Essential {
  using S = typename P::Stored;
  using T = typename P::Computed;

public:
  /// Collective, and `merge`, too.
  Essential(Queue& queue, comm::Communicator& ranks);

  /// The tree of all ranks, as far as own bodies need it: these come first. `levels` are those of
  /// the own tree, whose reaches are known. Waits.
  [[nodiscard]] const spatial::Build<S, T>& merge(const TreeWalk<P>& walk,
                                                  const std::vector<Index>& levels);
  [[nodiscard]] comm::Communicator& ranks() const { return ranks_; }
  [[nodiscard]] const EssentialCounts& counts() const { return counts_; }
  [[nodiscard]] Bytes held() const;

private:
  /// What goes to another rank.
  struct Piece {
    Field<S> centres, bodies;
    Field<T> moments, higher;
    Field<std::uint32_t> links;
    Index nodes = 0, members = 0;
  };

  [[nodiscard]] std::vector<S> find_boxes();
  void take_boxes(const std::vector<S>& boxes);
  void cut(int peer, const std::vector<Index>& levels);
  void step(EssentialStep step, Index begin, Index end) { find_(queue_, step, call_, begin, end); }
  /// Numbers of a node that are in `higher`.
  [[nodiscard]] Index highers() const {
    return spatial::higher_numbers(call_.walk.tree.moments_order);
  }
  void place_own(Index first_node);
  void set_tops(const std::vector<std::uint32_t>& roots);

  Queue& queue_;
  comm::Communicator& ranks_;
  comm::Carrier carrier_;
  spatial::Sorter sorter_;
  FindEssentials<P>* find_;
  Essentials<P> call_;
  spatial::Build<S, T> whole_;
  EssentialCounts counts_;
  std::vector<Piece> pieces_; ///< to each rank
  Field<S> runs_, boxes_, centres_, bodies_;
  Field<T> moments_, higher_;
  Field<std::uint32_t> uses_, numbers_, places_, links_, tops_;
};

} // namespace ridge::pairs
