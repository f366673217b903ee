// Where a rank's bodies are: boxes of bodies that follow each other along the curve. The widest is
// divided in two for as long as there may be more.
#pragma once

#include <ridge/device/field.hpp>
#include <ridge/spatial/sort.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace ridge::pairs {

/// Boxes that say where a rank's bodies are, at most: more of them where bodies are thin. So many
/// boxes that follow each other are looked at together first.
inline constexpr Index most_boxes = 8192, boxes_together = 64;
/// A box: the least x, y, z and one more number, the greatest, and the largest need.
inline constexpr Index box_values = 8;
/// A rank's message to others: how many boxes there are, as the first number of a box of its own,
/// and these.
inline constexpr Index block_values = box_values * (1 + most_boxes);
inline constexpr Index most_wide_boxes = ceil_div(most_boxes, boxes_together);

/// A binary tree of boxes on the device, whose last level are those of runs of bodies: node k has
/// the children 2 k and 2 k + 1.
template <class S>
struct BoxTree {
  Span<S> boxes;    ///< `box_values` a node, and one more node; one without bodies is empty
  Index leaves = 0; ///< of a power of two
  Index most = 0;   ///< boxes that are chosen
  /// Nodes above leaves: widths, the widest first, and which they are; then sorted.
  Span<std::uint64_t> keys;
  Span<std::uint32_t> nodes;
  Span<const std::uint32_t> sorted;
  Span<std::uint32_t> counts; ///< boxes more by the widest so far, and by all
  Span<std::uint32_t> opened; ///< a node above leaves: its children are in its place
  /// A leaf's, and one more: 1 if a box that is chosen begins with it; then, those before. And
  /// which node that box is.
  Span<std::uint32_t> firsts, sources;
  Span<S> chosen; ///< block_values

  /// Blocks of several ranks, and the boxes of `boxes_together` of their boxes each.
  Span<const S> blocks;
  Span<S> wide;
};

enum class BoxStep {
  widen,  ///< nodes [begin, end) of one level above leaves
  keys,   ///< of nodes above leaves
  count,  ///< how many more boxes each would make
  open,   ///< those of which there is room
  choose, ///< what is not opened below what is
  write,  ///< those that are chosen, along the curve
  wide    ///< of `end` blocks
};

/// Offered by each kind's module under BoxTree<S>: a step in queue order.
template <class S>
using FindBoxes = void(Queue& queue, BoxStep step, const BoxTree<S>& tree, Index begin, Index end);

/// The boxes that stand for those of runs, along the curve: `most` of them at most. On the host.
template <class S>
[[nodiscard]] std::vector<S> widest_divided(const std::vector<S>& of_runs, Index most);

/// Boxes chosen where bodies are: on GPUs without the host.
template <class S>
class BoxChooser {
public:
  explicit BoxChooser(Queue& queue);

  /// Room for the boxes of so many runs, and up to a power of two of empty ones behind them.
  [[nodiscard]] Span<S> take_runs(Index runs);
  /// Gives `most` boxes of what is there now to `block`, in queue order.
  void choose(Index most, Span<S> block);
  /// Boxes of `boxes_together` boxes of each block, `most_wide_boxes` a block.
  void widen(Span<const S> blocks, Span<S> wide);
  [[nodiscard]] Bytes held() const;

private:
  void choose_on_device(Index most, Span<S> block);
  void choose_on_host(Index most, Span<S> block);
  void step(BoxStep step, Index begin, Index end) { find_(queue_, step, call_, begin, end); }

  Queue& queue_;
  spatial::Sorter sorter_;
  FindBoxes<S>* find_;
  BoxTree<S> call_;
  Field<S> boxes_;
  std::array<Field<std::uint64_t>, 2> keys_;
  std::array<Field<std::uint32_t>, 2> nodes_;
  Field<std::uint32_t> counts_, opened_, firsts_, sources_;
};

} // namespace ridge::pairs
