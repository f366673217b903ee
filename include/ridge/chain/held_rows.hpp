// Which rows of each array a lane keeps that marches along the last dimension through a run alone:
// those of the item's own column that the run reads.
#pragma once

#include <ridge/chain/operation.hpp>

namespace ridge::chain {

/// Rows from `low` to `high`, both included, counted from the item's own; none at first.
struct HeldRows {
  int low = 0, high = -1;

  [[nodiscard]] constexpr int count() const { return high - low + 1; }
  [[nodiscard]] constexpr bool has(int row) const { return row >= low && row <= high; }

  /// Adds what an access reads of the column along dimension `march`, the last one.
  constexpr void add(const Access& a, int march) {
    if (a.writes || a.profile) return;
    for (int d = 0; d < march; ++d) {
      if (a.reach.low.along(d) > 0 || a.reach.high.along(d) < 0) return;
    }
    const int from = a.reach.low.along(march);
    const int to = a.reach.high.along(march);
    const bool first = count() == 0;
    low = first || from < low ? from : low;
    high = first || to > high ? to : high;
  }
};

/// Rows of an array that the run First to Last of a chain's type reads before it writes any.
template <class C, int First, int Last, int K = First>
constexpr HeldRows held_rows(int array, HeldRows before = {}) {
  if constexpr (K <= Last) {
    if (!written_in<C>(First, K - 1, array)) {
      for (const Access& a : Operation<C, K>::accesses) {
        if (a.array == array) before.add(a, static_cast<int>(C::dimensions.size()) - 1);
      }
    }
    return held_rows<C, First, Last, K + 1>(array, before);
  } else {
    return before;
  }
}

/// The most arrays of a run whose lanes march. A lane keeps its place in each of them, and the rows
/// that it reads again: of the 38 of lbm-walls these took 172 registers in fp32 and 236 in fp64
/// (docs/design/chains.md).
inline constexpr int most_marched_arrays = 24;

/// True where lanes of the run's launches march on GPUs: they read rows again, nothing lies
/// elsewhere beyond the ends, and arrays are few.
template <class C, int First, int Last>
constexpr bool run_marches() {
  bool reads_again = false;
  int used = 0;
  if constexpr (C::dimensions.size() > 1 && has_given_ends<C>()) {
    for (int a = 0; a < arrays_of<C>; ++a) {
      reads_again = reads_again || held_rows<C, First, Last>(a).count() > 1;
      used += read_in<C>(First, Last, a) || written_in<C>(First, Last, a) ? 1 : 0;
    }
  }
  return reads_again && used <= most_marched_arrays;
}

} // namespace ridge::chain
