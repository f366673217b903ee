// A reduction of a whole field to one number without a loop: a block for each tile, Items words of
// 16 bytes a thread.
#pragma once

#include <ridge/lattice/gpu/flat_reduce.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Blocks that come and go in the order of memory keep loads and stores as close together as a
/// plain map does; those of a loop drift apart. What each does beside its words is kept short.
template <class T, class R, bool Crossed, class A, int Items>
struct OnceReduce {
  using Sum = A;
  using Word = Loaded<T, R>;
  using Found = Terms<T, R, Crossed>;
  static constexpr int elements = Word::elements;
  static constexpr int items = Items;
  static constexpr bool shares = true;
  static constexpr int max_threads = Items > 4 ? 256 : 1024;
  /// A body of one word, whose registers allow it, takes all threads of a multiprocessor.
  static constexpr int min_blocks = Items == 1 ? 2 : 1;
  static constexpr const char* name = "lattice reduction, once";
  /// Whether a result may be two numbers.
  static constexpr bool pairs = R::parts == Parts::apart || Crossed;

  Operands<R, T> in;
  Index words;       ///< of the field
  Span<double> left; ///< of each block, its sums
  int parts;         ///< that a block leaves

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Index threads = lane.block_extent().x;
    const Index block = lane.block().x;
    A sum[pairs ? 2 : 1];
    for (A& s : sum)
      s.clear();
    take(lane, block * threads * Items + lane.thread().x, threads, sum);
    if (pairs && parts == 1) sum[0].merge(sum[pairs ? 1 : 0]);
    const A all = merge_block<true>(lane, sum[0]);
    if (lane.thread().x == 0) store_partial(lane, left, block * parts, all);
    if (pairs && parts == 2) {
      const A other = merge_block<true>(lane, sum[pairs ? 1 : 0]);
      if (lane.thread().x == 0) store_partial(lane, left, block * parts + 1, other);
    }
  }

private:
  /// The words of the thread from `first` on, loaded at once.
  template <class Lane>
  RIDGE_DEVICE void take(const Lane& lane, Index first, Index stride, A* sum) const {
    Word v[Items];
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (first + i * stride < words) v[i].load(lane, in, first + i * stride);
    }
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (first + i * stride >= words) continue;
      Found terms;
      terms.find(lane, in, v[i], first + i * stride);
      RIDGE_UNROLL
      for (int n = 0; n < Found::count * elements; ++n)
        sum[pairs ? n % 2 : 0].add(terms.v[n]);
    }
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
