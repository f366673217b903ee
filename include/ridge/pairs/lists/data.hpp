// What a list of near pairs is, as executors read it.
//
// Bodies are sorted by cells of a grid, along a curve. A slot is a place in that order. First come
// the bodies, then their images: a body near a periodic face has one beyond the opposite face, so
// that kernels meet no box. `share` neighbouring slots, a group, have one list: the slots that are
// near any of them, but for themselves.
#pragma once

#include <ridge/device/view.hpp>

#include <array>

namespace ridge::pairs {

/// Words on a GPU by which launches stop each other where lists have to be built anew: as many
/// steps as are given to a queue at once need no host between them.
struct ListHalt {
  static constexpr int moved = 0;  ///< bodies too far from where they were when lists were built
  static constexpr int halted = 1; ///< not 0: launches that move bodies do nothing
  static constexpr int moves = 2;  ///< launches that have moved bodies, since ever
  static constexpr int builds = 3; ///< of those that looked themselves whether they were needed
  static constexpr int words = 4;
};

inline constexpr unsigned no_body = ~0U;

class Beside;

/// GPUs, over ranks: which lists meet bodies of other parts, and which of these.
struct OwnLists {
  Span<const unsigned> home;   ///< slot of each body
  Span<const unsigned> needed; ///< of each unit: no_body where no list of this part meets it
  Span<const unsigned> meets;  ///< of each warp's lists: 0 where they meet this part alone
};

struct ListData {
  /// Slots without a body are at the end: `body` of them is no_body. GPUs.
  Index bodies = 0, slots = 0;
  int share = 1;
  int unit = 1;                       ///< slots that belong to one part together
  Index first_slot = 0, end_slot = 0; ///< of bodies: those that have lists
  double cutoff = 0;
  std::array<double, 3> length{}; ///< of the periods
  Span<const unsigned> body;      ///< of each slot, in the user's order
  Span<const unsigned> shift;     ///< of each slot, as shift_of reads it
  /// The cpu: where the list of each group from that of first_slot on begins in `entries`; one more
  /// at the end.
  Span<const Index> first;
  /// GPUs: the lists of a warp's groups are in so many parts, each of other cells: a warp each
  /// finds and may sum them. Where bodies are few.
  int ways = 1;
  /// GPUs: parts of a warp's groups lie side by side, four entries a row of each lane; how many
  /// rows each part has, from the first of first_slot on, and where they begin, in rows; where that
  /// is empty, all have room for as many. Rows end, beyond a list, with the slot `slots`, at
  /// `far` along each axis.
  Span<const unsigned> row_counts, row_begins;
  /// GPUs: of each part of a warp's groups, 0 where it was looked for in cells with bodies from
  /// first_slot to end_slot alone.
  Span<const unsigned> may_meet;
  Span<const unsigned> entries;
  double far = 0; ///< GPUs: farther than the cutoff from all

  /// GPUs: ListHalt, where sums are to be left out as soon as bodies have moved too far; else
  /// empty.
  Span<unsigned> halt;

  OwnLists own;
  Beside* beside = nullptr; ///< where positions of other ranks' bodies come with the next sums

  Index computed = 0; ///< interactions of one evaluation
  Index bytes = 0;    ///< that the lists and the order of bodies take
  Index builds = 0;   ///< how often they were built
};

/// GPUs: fewer lists keep a large one busy only where several warps share them.
inline constexpr Index few_lists = 65536;

/// Where a part of the bodies begins along the curve, in slots: parts are whole units, alike but
/// for one, and part `parts` begins at the end.
[[nodiscard]] constexpr Index first_slot_of(Index bodies, int unit, int part, int parts) {
  const Index units = (bodies + unit - 1) / unit;
  const Index slot = units * part / parts * unit;
  return slot < bodies ? slot : bodies;
}

/// How many periods the position in a slot is from the body's, along an axis.
RIDGE_FN int shift_of(unsigned shift, int axis) {
  return static_cast<int>(shift >> (10 * axis) & 1023U) - 512;
}

} // namespace ridge::pairs
