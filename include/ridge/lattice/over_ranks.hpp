// Reductions of fields over ranks: the same bits for every number of ranks, every grid and every
// device, and one message of each rank.
//
// They are those of ridge/lattice/reduce.hpp with `reproducible` (binned sums), for boxes of plain
// numbers, such as what a rank owns of a comm::RankField. Collective; boxes may be empty.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/field.hpp>

namespace ridge::lattice {

/// The sum of all numbers. T is float or double; sums are taken in double.
template <class T>
[[nodiscard]] double sum(comm::Communicator& ranks, Queue& queue, const View<const T>& x);
/// The sum of their squares.
template <class T>
[[nodiscard]] double norm2(comm::Communicator& ranks, Queue& queue, const View<const T>& x);
/// The sum of x y. Throws UsageError where the boxes differ in their extents.
template <class T>
[[nodiscard]] double inner_product(comm::Communicator& ranks, Queue& queue, const View<const T>& x,
                                   const View<const T>& y);

/// A sum over a box: of x, or of x y where y is given, into one accumulator of `words` numbers for
/// each of `parts` pieces of work.
template <class T>
struct BoxSum {
  static constexpr int words = 8;
  static constexpr int parts = 128;
  View<const T> x, y;
  bool product = false;
  Span<double> result; ///< words of the first part, of the second, ...
};

/// Names what each kind's module offers: `void(Queue&, const BoxSum<T>&)`.
template <class T>
struct BoxSummer;

} // namespace ridge::lattice
