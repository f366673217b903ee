// Runs of operations over the items of rows and boxes, packs along x.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/cpu/elements.hpp>
#include <ridge/chain/cpu/row.hpp>
#include <ridge/chain/interior.hpp>
#include <ridge/chain/plan.hpp>
#include <ridge/chain/region.hpp>

#include <algorithm>
#include <cstdint>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

/// Whole packs of items from x on, none of which reaches beyond an end; gives back where the next
/// begins. Whether it asks for what comes later is decided here, since a question in the loop took
/// the atmosphere about 5 % more time.
template <bool Asks, class Vector, int First, int Last, bool Interior, class C, class R>
RIDGE_FN Index run_packs(const C& chain, const R& row, Index x, Index end, Index y, Index z) {
  for (; x + lanes_of<Vector> <= end; x += lanes_of<Vector>) {
    if constexpr (Asks) row.ask(x);
    run_item<Vector, First, Last, false, Interior>(chain, row, x, y, z);
  }
  return x;
}

/// Values that a run that scans hands on along the columns of a box.
template <class T>
struct Carries {
  T* data = nullptr;
  Index first_x = 0, first_y = 0;
  Index row_elements = 0, each = 0;
  /// Where the value of item 0 of a row would be.
  [[nodiscard]] RIDGE_FN T* row(Index y) const {
    return data + (y - first_y) * row_elements - first_x;
  }
};

/// Values that the first items of the columns of a box find.
template <int First, int Last, class C, class T>
Carries<T> first_carries(T* memory, const Box& box) {
  Carries<T> made;
  constexpr bool along_y = column_dimension<C> == 1;
  const Index rows = along_y ? 1 : box.end[1] - box.begin[1];
  made.data = memory;
  made.first_x = box.begin[0];
  made.first_y = along_y ? 0 : box.begin[1];
  made.row_elements = along_y ? 0 : in_whole_lines(box.end[0] - box.begin[0]);
  made.each = in_whole_lines(box.end[0] - box.begin[0]) * rows;
  const auto fill = [&]<int K>(std::integral_constant<int, K>) {
    using Op = Operation<C, K>;
    for (int n = 0; n < carried_by<Op>(); ++n) {
      T* const begin = memory + (carried_in<C>(First, K - 1) + n) * made.each;
      if constexpr (carried_by<Op>() > 0)
        std::fill(begin, begin + made.each,
                  static_cast<T>(Op::carried[static_cast<std::size_t>(n)]));
    }
  };
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (fill(std::integral_constant<int, First + K>{}), ...);
  }
  (std::make_integer_sequence<int, Last - First + 1>{});
  return made;
}

/// The i-th of the items [begin, end) in the order that a scan takes them.
template <Scan S>
RIDGE_FN Index in_turn(Index begin, Index end, Index i) {
  return S == Scan::down ? end - 1 - (i - begin) : i;
}

/// Items [x, safe_end) of a row, from `safe` on in packs if one fits; where it ends. No neighbour
/// of the items from `safe` to `safe_end` lies beyond an end along x.
template <int First, int Last, bool Interior, class C, class T, bool Checked>
RIDGE_FN Index run_safe(const C& chain, const Row<C, T, First, Last, Checked>& row, Index x,
                        Index safe, Index safe_end, Index y, Index z) {
  using Vector = NativePack<T>;
  using One = Pack<T, 1, abi::Native>;
  constexpr Index width = lanes_of<Vector>;
  constexpr bool edges = resolves<dimension_of<C>(0).edge> && !Interior;
  constexpr int aligned = Needs<C, First, Last>::aligned();
  const auto misfit = static_cast<Index>(reinterpret_cast<std::uintptr_t>(row.to[aligned] + safe) /
                                         sizeof(T) % static_cast<std::uintptr_t>(width));
  const Index begin = safe + (misfit == 0 ? 0 : width - misfit);
  if (begin + width > safe_end) return x;
  for (; x < begin; ++x)
    run_item<One, First, Last, edges, Interior>(chain, row, x, y, z);
  return row.asks()
             ? run_packs<true, Vector, First, Last, Interior>(chain, row, x, safe_end, y, z)
             : run_packs<false, Vector, First, Last, Interior>(chain, row, x, safe_end, y, z);
}

/// Items [x, end) of a row that is interior, but for its ends; where the last interior one ends. An
/// item's place alone says whether it is interior, not where packs begin.
template <int First, int Last, class C, class T, bool Checked>
RIDGE_FN Index run_interior(const C& chain, const Row<C, T, First, Last, Checked>& row, Index x,
                            Index end, Index y, Index z) {
  using One = Pack<T, 1, abi::Native>;
  constexpr Domain in = interior_of<C, First, Last>();
  if (!is_between(y, row.n.y, in.begin.y, in.end.y) ||
      !is_between(z, row.n.z, in.begin.z, in.end.z))
    return x;
  const Index from = std::min<Index>(end, std::max<Index>(x, in.begin.x));
  const Index to = std::min<Index>(end, row.n.x + in.end.x);
  for (; x < from; ++x)
    run_item<One, First, Last, true>(chain, row, x, y, z);
  x = run_safe<First, Last, true>(chain, row, x, from, to, y, z);
  for (; x < to; ++x)
    run_item<One, First, Last, false, true>(chain, row, x, y, z);
  return x;
}

/// Items [x, end) of a row.
template <int First, int Last, class C, class T, bool Checked>
RIDGE_FN void run_row(const C& chain, const Memory<C, T, Checked>& memory,
                      const Carries<T>& carries, bool everything, Index x, Index end, Index y,
                      Index z) {
  using One = Pack<T, 1, abi::Native>;
  using N = Needs<C, First, Last>;
  constexpr bool edges = resolves<dimension_of<C>(0).edge>;
  Row<C, T, First, Last, Checked> row(memory, y, z, everything);
  if constexpr (carried_in<C>(First, Last) > 0) {
    row.carry = carries.row(y);
    row.each = carries.each;
  }
  const Index begin = x;
  if constexpr (has_interior<C, First, Last>())
    x = run_interior<First, Last>(chain, row, x, end, y, z);
  if (x == begin) {
    // Where no neighbour lies beyond an end, packs are contiguous.
    const Index safe = edges ? std::max<Index>(x, -N::low_x()) : x;
    const Index safe_end = edges ? std::min<Index>(end, memory.n.x - N::high_x()) : end;
    x = run_safe<First, Last, false>(chain, row, x, safe, safe_end, y, z);
  }
  for (; x < end; ++x)
    run_item<One, First, Last, edges>(chain, row, x, y, z);
}

/// The items of `box`; those outside `own` are only written to what the tile keeps for itself. The
/// chain is a copy, so that no store can change it.
template <int First, int Last, class C, class T, bool Checked>
void run_items(const C& original, const Memory<C, T, Checked>& memory, const Box& box,
               const Box& own) {
  const C chain = original;
  constexpr Scan scan = scan_in<C>(First, Last);
  constexpr bool along_y = column_dimension<C> == 1;
  Carries<T> carries;
  if constexpr (scan != Scan::none) carries = first_carries<First, Last, C>(memory.carry, box);
  for (Index i = box.begin[2]; i < box.end[2]; ++i) {
    const Index z = along_y ? i : in_turn<scan>(box.begin[2], box.end[2], i);
    for (Index j = box.begin[1]; j < box.end[1]; ++j) {
      const Index y = along_y ? in_turn<scan>(box.begin[1], box.end[1], j) : j;
      const bool mine = y >= own.begin[1] && y < own.end[1] && z >= own.begin[2] && z < own.end[2];
      const Index from = mine ? std::clamp(own.begin[0], box.begin[0], box.end[0]) : box.end[0];
      const Index to = mine ? std::clamp(own.end[0], from, box.end[0]) : box.end[0];
      // Up to three parts, of which the second is the tile's own.
      const Index cuts[4] = {box.begin[0], from, to, box.end[0]};
      for (int part = 0; part < 3; ++part) {
        if (cuts[part] < cuts[part + 1]) {
          run_row<First, Last>(chain, memory, carries, part == 1, cuts[part], cuts[part + 1], y, z);
        }
      }
    }
  }
}

/// Computes a box, whether its items are those of rows or elements.
template <int First, int Last, class C, class T, bool Checked>
void run_box(const C& chain, const Memory<C, T, Checked>& memory, const Box& box, const Box& own) {
  if constexpr (has_elements<C>) {
    run_elements<First, Last>(chain, memory, box, own);
  } else {
    run_items<First, Last>(chain, memory, box, own);
  }
}

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME
