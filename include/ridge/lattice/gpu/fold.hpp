// Making few of many partial results, in a fixed order, before they are finished.
#pragma once

#include <ridge/lattice/gpu/finish.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Each block adds up `chunk` rows of a slice to one, column by column.
template <class A>
struct FoldPass {
  static constexpr int max_threads = finish_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "lattice reduction, fold";
  Partials from;
  Partials to;
  int chunk;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const int t = lane.thread().x;
    const int threads = lane.block_extent().x;
    const Index row = lane.block().x; // of all slices
    const Index done = row % to.rows * chunk;
    const Index first = row / to.rows * from.rows + done;
    const Index left = from.rows - done;
    const auto rows = static_cast<unsigned>(left < chunk ? left : chunk);
    const auto columns = static_cast<int>(from.columns());
    for (int base = 0; base < columns; base += threads) {
      const int wide = columns - base < threads ? columns - base : threads;
      const int lines = threads / wide; // of threads, each of which has rows of its own
      const int line = t / wide;
      const int column = base + t % wide;
      A a;
      a.clear();
      if (line < lines) {
        merge_entries(lane, a, from.w, line, lines, rows,
                      [&](unsigned r) { return (first + r) * columns + column; });
      }
      if (wide == 1) {
        a = merge_block(lane, a);
      } else {
        auto shared = lane.template shared<A>(0, threads);
        lane.barrier();
        shared[t] = a;
        lane.barrier();
        merge_across<A>(lane, shared, t, line < lines ? line : lines, lines, wide);
        a = shared[t];
      }
      if (line == 0) store_partial(lane, to.w, row * columns + column, a);
    }
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
