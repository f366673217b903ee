// Runs of operations over the items of rows and boxes, packs along x.
#pragma once

#include <ridge/chain/at.hpp>
#include <ridge/chain/cpu/row.hpp>
#include <ridge/chain/region.hpp>

#include <algorithm>
#include <cstdint>

namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME {

/// Whole packs of items from x on, none of which reaches beyond an end; gives back where the next
/// begins. Whether it asks for what comes later is decided here, since a question in the loop took
/// the atmosphere about 5 % more time.
template <bool Asks, class Vector, int First, int Last, class C, class R>
RIDGE_FN Index run_packs(const C& chain, const R& row, Index x, Index end, Index y, Index z) {
  for (; x + lanes_of<Vector> <= end; x += lanes_of<Vector>) {
    if constexpr (Asks) row.ask(x);
    run_item<Vector, First, Last, false>(chain, row, x, y, z);
  }
  return x;
}

/// Items [x, end) of a row.
template <int First, int Last, class C, class T, bool Checked>
RIDGE_FN void run_row(const C& chain, const Memory<C, T, Checked>& memory, bool everything, Index x,
                      Index end, Index y, Index z) {
  using Vector = NativePack<T>;
  using One = Pack<T, 1, abi::Native>;
  using N = Needs<C, First, Last>;
  constexpr Index width = lanes_of<Vector>;
  constexpr bool edges = dimension_of<C>(0).edge != Edge::none;
  const Row<C, T, First, Last, Checked> row(memory, y, z, everything);
  // Where no neighbour lies beyond an end, packs are contiguous.
  const Index safe = edges ? std::max<Index>(x, -N::low_x()) : x;
  const Index safe_end = edges ? std::min<Index>(end, memory.n.x - N::high_x()) : end;
  const auto misfit =
      static_cast<Index>(reinterpret_cast<std::uintptr_t>(row.to[N::aligned()] + safe) / sizeof(T) %
                         static_cast<std::uintptr_t>(width));
  const Index begin = safe + (misfit == 0 ? 0 : width - misfit);
  if (begin + width <= safe_end) {
    for (; x < begin; ++x)
      run_item<One, First, Last, edges>(chain, row, x, y, z);
    x = row.ahead ? run_packs<true, Vector, First, Last>(chain, row, x, safe_end, y, z)
                  : run_packs<false, Vector, First, Last>(chain, row, x, safe_end, y, z);
  }
  for (; x < end; ++x)
    run_item<One, First, Last, edges>(chain, row, x, y, z);
}

/// The items of `box`; those outside `own` are only written to what the tile keeps for itself. The
/// chain is a copy, so that no store can change it.
template <int First, int Last, class C, class T, bool Checked>
void run_box(const C& original, const Memory<C, T, Checked>& memory, const Box& box,
             const Box& own) {
  const C chain = original;
  for (Index z = box.begin[2]; z < box.end[2]; ++z) {
    for (Index y = box.begin[1]; y < box.end[1]; ++y) {
      const bool mine = y >= own.begin[1] && y < own.end[1] && z >= own.begin[2] && z < own.end[2];
      const Index from = mine ? std::clamp(own.begin[0], box.begin[0], box.end[0]) : box.end[0];
      const Index to = mine ? std::clamp(own.end[0], from, box.end[0]) : box.end[0];
      // Up to three parts, of which the second is the tile's own.
      const Index cuts[4] = {box.begin[0], from, to, box.end[0]};
      for (int part = 0; part < 3; ++part) {
        if (cuts[part] < cuts[part + 1]) {
          run_row<First, Last>(chain, memory, part == 1, cuts[part], cuts[part + 1], y, z);
        }
      }
    }
  }
}

} // namespace ridge::chain::cpu::inline RIDGE_TARGET_NAME
