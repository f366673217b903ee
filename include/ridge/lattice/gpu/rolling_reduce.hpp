// Reductions by blocks of few threads. A block of less than a warp takes a whole warp's registers,
// so that loads by the batch would leave memory idle: here each word is replaced by the one Items
// further on as soon as it is taken, and as many are under way at any time.
#pragma once

#include <ridge/lattice/gpu/flat_reduce.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Code that runs once is kept short: its instructions come from memory, behind the data.
template <class T, class R, bool Crossed, int Items>
struct RollReduce {
  using A = PlainSum<double>;
  using Sum = A;
  using Word = Loaded<T, R>;
  static constexpr int elements = Word::elements;
  static constexpr int items = Items;
  static constexpr bool shares = false;
  static constexpr int max_threads = 256;
  static constexpr int min_blocks = 4; ///< and so 32 of a warp
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "lattice reduction by few threads";
  /// Words replaced in one go: with fewer, the compiler would wait for half of them before it loads
  /// on.
  static constexpr int round = 4 * Items;

  Operands<R, T> in;
  FlatWalk walk; ///< of a whole field, blocks in turn
  int rounds;    ///< that each thread has, after its first Items words
  int batches;   ///< of Items words after them; fewer than a batch more remain
  Partials partials;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Index block = lane.block().x;
    const Index number = block * lane.block_extent().x + lane.thread().x;
    A sum[elements];
    RIDGE_UNROLL
    for (int e = 0; e < elements; ++e)
      sum[e].clear();
    if (number < walk.active) stream(lane, number, sum);
    leave<elements>(lane, walk, partials, {0, block, number}, sum);
  }

private:
  template <class Lane>
  RIDGE_DEVICE void stream(const Lane& lane, Index at, A* sum) const {
    Word v[Items];
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i) {
      v[i].load(lane, in, at);
      at += walk.stride;
    }
    RIDGE_NO_UNROLL
    for (int n = rounds; n > 0; --n)
      replace<round>(lane, v, at, sum);
    RIDGE_NO_UNROLL
    for (int n = batches; n > 0; --n)
      replace<Items>(lane, v, at, sum);
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i) { // the last ones, not all of which there are
      take(lane, v[i], sum);
      v[i] = {};
      if (at < walk.total) v[i].load(lane, in, at);
      at += walk.stride;
    }
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i)
      take(lane, v[i], sum);
  }
  template <int Count, class Lane>
  RIDGE_DEVICE void replace(const Lane& lane, Word* v, Index& at, A* sum) const {
    RIDGE_UNROLL
    for (int i = 0; i < Count; ++i) {
      take(lane, v[i % Items], sum);
      v[i % Items].load(lane, in, at + i * walk.stride);
    }
    at += Count * walk.stride;
  }
  template <class Lane>
  RIDGE_DEVICE void take(const Lane& lane, const Word& v, A* sum) const {
    Terms<T, R, Crossed> terms;
    terms.find(lane, in, v, 0);
    terms.add(sum);
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
