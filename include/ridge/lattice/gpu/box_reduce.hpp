// Sums of the sites of a box within fields: each chunk of a row is streamed as flat memory is.
#pragma once

#include <ridge/lattice/box_rows.hpp>
#include <ridge/lattice/gpu/flat_reduce.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// A position within a run that goes on to the end.
struct Straight {
  Index at, address; ///< the same, of which one is kept

  RIDGE_DEVICE void step(const FlatWalk& walk) {
    at += walk.stride;
    address += walk.stride;
  }
};

/// How teams of threads that follow each other take chunks of rows in turn. A team is a multiple of
/// a group's words, or of a vector's, and so are chunks: a thread stays at its lanes.
struct BoxWalk {
  BoxRows rows;
  Index group_words; ///< of 16 bytes
  int team;          ///< threads
  Index chunk;       ///< words
  Index chunks;      ///< of a row
};

template <class T, class R, bool Crossed, int Items>
struct BoxReduce {
  using Sum = BinnedSum<double>;
  using Flat = FlatReduce<T, R, Crossed, Sum, Items>;
  using Word = typename Flat::Word;
  static constexpr int items = Items;
  static constexpr bool shares = false;
  static constexpr int max_threads = Flat::max_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "lattice reduction of a box";
  static constexpr int elements = Flat::elements;

  Flat flat; ///< walks a chunk; it does not finish
  BoxWalk box;
  int parts; ///< reals of a number

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const Index slices = flat.results.slices;
    const Index slice = lane.block().x % slices;
    const Index block = lane.block().x / slices;
    const Index number = block * lane.block_extent().x + lane.thread().x;
    Sum sum[elements];
    RIDGE_UNROLL
    for (int e = 0; e < elements; ++e)
      sum[e].clear();
    const auto teams = static_cast<int>(flat.walk.active / box.team);
    const auto team = static_cast<int>(number / box.team);
    const auto position = static_cast<int>(number - Index{team} * box.team);
    const Index chunks = team < teams ? box.rows.rows * box.chunks : 0;
    RIDGE_NO_UNROLL
    for (Index i = team; i < chunks; i += teams)
      add_chunk(lane, i, slice, position, sum);
    leave<elements>(lane, flat.walk, flat.partials, {slice, block, number}, sum);
  }

private:
  /// Sites outside of the box, whose numbers may be anything, count as 0.
  struct Inside {
    bool element[elements];
    RIDGE_DEVICE Word operator()(const Word& from) const {
      Word word = from;
      RIDGE_UNROLL
      for (int e = 0; e < elements; ++e) {
        word.x.set(e, element[e] ? from.x[e] : T(0));
        if constexpr (Word::two) word.y.set(e, element[e] ? from.y[e] : T(0));
      }
      return word;
    }
  };

  template <class Lane>
  RIDGE_DEVICE void add_chunk(const Lane& lane, Index i, Index slice, int position,
                              Sum* sum) const {
    const Index row = i / box.chunks;
    const Index first = (i - row * box.chunks) * box.chunk;
    const Index group = box.rows.group(row, slice);
    const int real = position % flat.walk.words * elements; // of a vector
    Inside inside;
    bool some = false;
    RIDGE_UNROLL
    for (int e = 0; e < elements; ++e) {
      const int of = (real + e) / parts;
      inside.element[e] = box.rows.wants(box.rows.geometry.coordinates({group, of}));
      some = some || inside.element[e];
    }
    if (!some) return;
    const Index begin = group * box.group_words;
    const Index end = first + box.chunk;
    const Index row_end = box.rows.length * box.group_words;
    const Index at = begin + first + position;
    flat.stream_ahead(lane, Straight{at, at}, begin + (end < row_end ? end : row_end), sum, inside);
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
