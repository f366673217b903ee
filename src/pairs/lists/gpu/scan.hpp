// Sums of all elements before each, on GPUs: of blocks, of the blocks' totals, and both together.
#pragma once

#include <ridge/device/launch.hpp>

#include "../grown.hpp"

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

inline constexpr int scan_threads = 256;
inline constexpr int scan_each = 8; ///< elements of a thread
inline constexpr Index scan_block = Index{scan_threads} * scan_each;

/// The sum of `mine` over the threads of the block before this one; `total` of all.
template <class Lane>
RIDGE_DEVICE unsigned sum_before(Lane& lane, unsigned mine, unsigned& total) {
  const auto sums = lane.template shared<unsigned>(0, 2 * scan_threads);
  const int rank = lane.rank();
  sums[rank] = mine;
  lane.barrier();
  int from = 0;
  for (int step = 1; step < scan_threads; step *= 2) {
    unsigned sum = sums[from + rank];
    if (rank >= step) {
      const unsigned before = sums[from + rank - step];
      sum += before;
    }
    from = scan_threads - from;
    sums[from + rank] = sum;
    lane.barrier();
  }
  total = sums[from + scan_threads - 1];
  const unsigned upto = sums[from + rank];
  lane.barrier();
  return upto - mine;
}

/// Each block's elements become the sums before them within it; its total goes to `totals`.
struct ScanBlocks {
  static constexpr int max_threads = scan_threads;
  static constexpr const char* name = "sums within blocks";
  Span<unsigned> values, totals;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index first = Index{lane.block().x} * scan_block + Index{lane.rank()} * scan_each;
    unsigned value[scan_each];
    unsigned mine = 0;
    RIDGE_UNROLL
    for (int k = 0; k < scan_each; ++k) {
      value[k] = first + k < values.size ? lane.load_written(values, first + k) : 0;
      mine += value[k];
    }
    unsigned total = 0;
    unsigned before = sum_before(lane, mine, total);
    RIDGE_UNROLL
    for (int k = 0; k < scan_each; ++k) {
      if (first + k < values.size) lane.store(values, first + k, before);
      before += value[k];
    }
    if (lane.rank() == 0) lane.store(totals, lane.block().x, total);
  }
};

/// The same of the totals, by one block; the total of all goes behind them.
struct ScanTotals {
  static constexpr int max_threads = scan_threads;
  static constexpr const char* name = "sums of blocks";
  Span<unsigned> totals; ///< one more than there are blocks

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index count = totals.size - 1;
    unsigned passed = 0;
    for (Index begin = 0; begin < count; begin += scan_threads) {
      const Index i = begin + lane.rank();
      const unsigned value = i < count ? lane.load_written(totals, i) : 0;
      unsigned total = 0;
      const unsigned before = passed + sum_before(lane, value, total);
      if (i < count) lane.store(totals, i, before);
      passed += total;
    }
    if (lane.rank() == 0) lane.store(totals, count, passed);
  }
};

struct AddTotals {
  static constexpr int max_threads = scan_threads;
  static constexpr const char* name = "sums over blocks";
  Span<unsigned> values;
  Span<const unsigned> totals;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const unsigned before = lane.load(totals, lane.block().x);
    const Index first = Index{lane.block().x} * scan_block + lane.rank();
    for (int k = 0; k < scan_each; ++k) {
      const Index i = first + k * scan_threads;
      if (i < values.size) lane.store(values, i, lane.load_written(values, i) + before);
    }
  }
};

/// Replaces each value by the sum of those before it, in queue order. The sum of all is the value
/// of an element more at the end, if that was 0.
inline void scan(Queue& queue, Span<unsigned> values, Grown<unsigned>& room) {
  const Index blocks = ceil_div(values.size, scan_block);
  const Span<unsigned> totals = room.of(queue.device(), blocks + 1, "sums of lists");
  const int shared = 2 * scan_threads * static_cast<int>(sizeof(unsigned));
  const LaunchShape all{{static_cast<int>(blocks), 1, 1}, {scan_threads, 1, 1}, shared};
  launch_body(queue, all, ScanBlocks{values, totals});
  launch_body(queue, {{1, 1, 1}, {scan_threads, 1, 1}, shared}, ScanTotals{totals});
  launch_body(queue, {all.grid, all.block, 0}, AddTotals{values, totals});
}

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
