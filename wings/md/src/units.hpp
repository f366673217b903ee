// Bodies back into the box; and what ranks give each other: units of bodies, the neighbouring slots
// that are shared out together.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/pairs/lists/data.hpp>

#include <array>
#include <cmath>

namespace ridge::md {

/// Moves a coordinate to [0, period) by whole periods, and returns by how many it was away. One
/// that is no number, or hundreds of periods away, stays: lists refuse it.
template <class T>
RIDGE_FN int wrap(T& x, T period) {
  if (x >= 0 && x < period) return 0;
  const T away = static_cast<T>(::floor(x / period));
  if (!(away >= -400 && away <= 400)) return 0;
  int periods = static_cast<int>(away);
  x -= away * period;
  if (x < 0) { // by rounding, and so may the sum be a period
    x += period;
    --periods;
  }
  if (x >= period) {
    x -= period;
    ++periods;
  }
  return periods;
}

/// All bodies back into the box, so that their positions keep their digits however far they go.
template <class T>
struct WrapBodies {
  std::array<Span<T>, 3> position;
  std::array<Span<int>, 3> images; ///< periods that each body was moved by: added to
  std::array<T, 3> period{};
  /// GPUs: pairs::ListHalt, to do it only where bodies have moved too far; empty: always.
  Span<unsigned> halt = {};
};

/// What each kind's module offers under WrapBodies<T>, for float and double: in queue order.
template <class T>
using Wrap = void(Queue& queue, const WrapBodies<T>& wrapped);

inline constexpr unsigned no_unit = ~0U;
/// Where messages of units begin: bodies of the rank that sends it have moved too far, or its lists
/// or messages have no room. It is no unit either.
inline constexpr unsigned not_done = ~1U;

/// Values of whole units into a message's memory, or out of it.
template <class T>
struct UnitCopy {
  static constexpr int header = 4; ///< values before those of units; the first: bodies moved

  std::array<Span<T>, 3> values; ///< of bodies
  Span<T> packed;
  Span<const unsigned> body;  ///< of slots
  Span<const unsigned> units; ///< which; no_unit is left out
  Span<const Index> places;   ///< and where in `packed` three values of each body begin
  Index bodies = 0;
  int unit = 1;
  bool packs = true;
  /// Where messages to, or from, other ranks begin with a header: that bodies have moved too far.
  Span<const Index> headers = {};
  /// GPUs: the word of pairs::ListHalt that goes out or that what comes in is added to.
  Span<unsigned> moved = {};
};

/// What each kind's module offers under UnitCopy<T>, for float and double: in queue order.
template <class T>
using CopyUnits = void(Queue& queue, const UnitCopy<T>& copy);

/// Values of the bodies that a rank has moved into memory with room for all slots, by `body`, or
/// those of the others out of it, by `home`: lists may be built meanwhile.
template <class T>
struct AllCopy {
  std::array<Span<T>, 3> values; ///< of bodies
  Span<T> packed;                ///< three of each unit's slots; behind them a header of each rank
  Span<const unsigned> body;     ///< of slots
  Span<const unsigned> home;     ///< of bodies: their slots
  int unit = 1;
  Index first_slot = 0, end_slot = 0; ///< of the rank
  bool packs = true;
  Span<unsigned> moved = {}; ///< GPUs, with headers: as UnitCopy has it
  Index headers = 0;         ///< where the first is
  int rank = 0, ranks = 1;
};

/// What each kind's module offers under AllCopy<T>, for float and double: in queue order.
template <class T>
using CopyAll = void(Queue& queue, const AllCopy<T>& copy);

/// Which units of other ranks have bodies in the lists of this one, and what is asked of each rank.
struct UnitNeeds {
  pairs::ListData lists;
  Span<unsigned> home;           ///< of bodies: their slots, written
  Span<unsigned> marks;          ///< of units: 1 where it is so, else no_unit; written
  Span<unsigned> counts;         ///< of ranks: units that are needed, less one; written
  Span<const Index> first_units; ///< of ranks, and where the last ends
  Span<const Index> begins;      ///< where each rank's message begins, and where the last ends
  Span<unsigned> messages;       ///< a word, no_unit, then units in any order; written
  Span<unsigned> halt = {};      ///< pairs::ListHalt, where the host does not look
  Span<unsigned> meets = {};     ///< GPUs: pairs::OwnLists; written
};

/// What each kind's module offers under UnitNeeds: in queue order.
using FindUnits = void(Queue& queue, const UnitNeeds& needs);

/// GPUs: messages to, or from, other ranks begin with a word that says whether all went well.
struct UnitWords {
  Span<unsigned> messages;
  Span<const Index> at;
  Span<unsigned> halt; ///< pairs::ListHalt: who has not done all halts all
  bool sends = true;
};

/// What each kind's module offers under UnitWords: in queue order.
using SayUnits = void(Queue& queue, const UnitWords& words);

} // namespace ridge::md
