// Trees of several ranks, each over bodies of its own: to each rank the others send the nodes and
// bodies that its bodies need, so that it walks as if it had all of them. J. K. Salmon, PhD thesis,
// Caltech (1991); M. S. Warren and J. K. Salmon, Supercomputing '92.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pairs/essential_boxes.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/spatial/sort.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace ridge::pairs {

/// A node's part for another rank.
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
  /// The other rank's block of boxes, and those of `boxes_together` of them each.
  Span<const S> boxes, wide_boxes;
  /// A node's: 1 if it is far from all boxes, where that is found for all at once; and its use.
  Span<std::uint32_t> far, uses;
  /// A node's, and one more: 1 if it is kept, how many bodies it brings; then sums of those
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
  look,   ///< which nodes are far
  mark,   ///< what nodes [begin, end) of one level are to the other rank
  pack,   ///< what is kept, once numbers and places are known
  rebase, ///< links of `end` nodes
  tops    ///< nodes above all pieces
};

/// Offered by each kind's module under Essentials<P>: a step in queue order.
template <class P>
using FindEssentials = void(Queue& queue, EssentialStep step, const Essentials<P>& e, Index begin,
                            Index end);

/// Numbers of one exchange.
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
  /// the own tree, whose reaches are known. Waits to hear how much there is. Calls
  /// `begins_phase` before each phase: "wait" for other ranks, which come from the walk before at
  /// other times, and "exchange".
  [[nodiscard]] const spatial::Build<S, T>&
  merge(const TreeWalk<P>& walk, const std::vector<Index>& levels,
        const std::function<void(const char* phase)>& begins_phase);
  [[nodiscard]] comm::Communicator& ranks() const { return ranks_; }
  [[nodiscard]] const EssentialCounts& counts() const { return counts_; }
  [[nodiscard]] Bytes held() const;

private:
  /// Bodies and nodes, such as another rank needs.
  struct Piece {
    Field<S> centres, bodies;
    Field<T> moments, higher;
    Field<std::uint32_t> links;
    Index nodes = 0, members = 0;
  };
  /// Nodes and bodies that each rank (first index) has for each other; of its own, how many it has.
  struct Sizes {
    std::vector<Index> of_all;
    int ranks = 0;
    [[nodiscard]] Index nodes(int from, int to) const { return of_all[place(from, to)]; }
    [[nodiscard]] Index bodies(int from, int to) const { return of_all[place(from, to) + 1]; }

  private:
    [[nodiscard]] std::size_t place(int from, int to) const {
      return 2 * (static_cast<std::size_t>(ranks) * static_cast<std::size_t>(from) +
                  static_cast<std::size_t>(to));
    }
  };

  void exchange_boxes(const std::function<void(const char* phase)>& begins_phase);
  [[nodiscard]] Sizes cut_for_all(const std::vector<Index>& levels);
  void cut(int peer, const std::vector<Index>& levels);
  [[nodiscard]] bool has_room(const Sizes& sizes) const;
  void take_room(const Sizes& sizes);
  void take_rooms_of(Piece& piece, Index nodes, Index bodies);
  void bind();
  void place_own();
  void place_arrivals(const Sizes& sizes);
  void set_tops();
  void step(EssentialStep step, Index begin, Index end) { find_(queue_, step, call_, begin, end); }
  /// Numbers of a node that are in `higher`.
  [[nodiscard]] Index highers() const {
    return spatial::higher_numbers(call_.walk.tree.moments_order);
  }
  /// Where nodes and bodies of a rank begin in what all have: own ones first.
  struct Begin {
    Index node, body;
  };
  [[nodiscard]] std::vector<Begin> begins() const;

  Queue& queue_;
  comm::Communicator& ranks_;
  comm::Endpoint at_;
  /// Or an emulated one. On the cpu messages cost little to bind, and have no room to spare: bodies
  /// of ranks lie without gaps, which mixed precision adds up in another order.
  bool is_gpu_;
  spatial::Sorter sorter_;
  BoxChooser<S> chooser_;
  FindEssentials<P>* find_;
  Essentials<P> call_;
  spatial::Build<S, T> whole_;
  EssentialCounts counts_;
  std::vector<Piece> pieces_; ///< to each rank
  Sizes room_;                ///< that messages are bound for
  Index room_highers_ = 0;
  Field<S> blocks_, wide_boxes_; ///< of all ranks
  Piece all_;                    ///< nodes and bodies of all ranks
  Field<std::uint32_t> far_, uses_, numbers_, places_, tops_;
  comm::Transfer boxes_transfer_, transfer_; ///< of the memory above
};

} // namespace ridge::pairs
