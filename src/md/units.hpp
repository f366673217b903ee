// What ranks give each other: units of bodies, the neighbouring slots that are shared out together.
#pragma once

#include <ridge/device/queue.hpp>
#include <ridge/pairs/lists/data.hpp>

#include <array>

namespace ridge::md {

inline constexpr unsigned no_unit = ~0U;

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

/// Which units have bodies in the lists of a part of them; those of the part itself are left out.
struct UnitMarks {
  pairs::ListData lists;
  Span<unsigned> home;  ///< of bodies: their slots, written
  Span<unsigned> marks; ///< of units: 1 where it is so; 0 before
};

/// What each kind's module offers under UnitMarks: in queue order.
using MarkUnits = void(Queue& queue, const UnitMarks& marks);

} // namespace ridge::md
