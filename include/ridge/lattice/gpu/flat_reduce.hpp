// A reduction in one pass over the fields as flat memory: 16-byte words, several under way, each
// thread always at the same component of a tensor, so that its sums stay in registers.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/lattice/accumulator.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/gpu/finish.hpp>
#include <ridge/lattice/reduce_call.hpp>
#include <ridge/lattice/variant.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Words of 16 bytes of a thread. A slice of a box is `total` words: runs of `run` words, `gap`
/// words apart from the end of one to the start of the next. Threads of a block follow each other;
/// each has words `stride` apart, from `share` words times its block's number on, within the share.
struct FlatWalk {
  Index total = 0, run = 0, gap = 0;
  Index stride = 0;
  Index rest = 0, hop = 0; ///< of a stride: what remains of whole runs, and its words in memory
  Index share = 0;         ///< words of a block that follow each other; 0: blocks take turns
  Index active = 0;        ///< threads of a slice that take part
  int blocks = 1;          ///< of a slice
  int period = 1;          ///< words after which components repeat
  int words = 1;           ///< of one vector
  bool combine = false;    ///< blocks merge their threads of equal component
  bool last = false;       ///< the last block finishes
  int team = 1;            ///< threads of it that add up one result
};

/// A position in a slice and in memory, in words.
struct Cursor {
  Index at, in_run, address;

  RIDGE_DEVICE Cursor(const FlatWalk& walk, Index start, Index slice)
      : at(start), in_run(start), address(slice * walk.run + start) {
    if (start < walk.run) return; // most do, and divisions are long
    in_run = start % walk.run;
    address += start / walk.run * walk.gap;
  }

  RIDGE_DEVICE void step(const FlatWalk& walk) {
    at += walk.stride;
    in_run += walk.rest;
    address += walk.hop;
    if (in_run >= walk.run) {
      in_run -= walk.run;
      address += walk.gap;
    }
  }
  /// As many steps within a run as make `words` words.
  RIDGE_DEVICE void skip(Index words) {
    at += words;
    in_run += words;
    address += words;
  }
};

template <class R, class T>
struct Operands {
  Span<const T> x, y;
  Span<T> z;
  R reduction;
};

/// One word of each operand.
template <class T, class R>
struct Loaded {
  static constexpr int elements = 16 / static_cast<int>(sizeof(T));
  static constexpr bool two = R::inputs == 2;
  Pack<T, elements> x, y;
  template <class Lane>
  RIDGE_DEVICE void load(const Lane& lane, const Operands<R, T>& in, Index word) {
    x = lane.template load_pack<elements>(in.x, word * elements);
    if constexpr (two) y = lane.template load_pack<elements>(in.y, word * elements);
  }
};

/// The numbers that a word adds: `count` to each of its elements' sums.
template <class T, class R, bool Crossed>
struct Terms {
  using Word = Loaded<T, R>;
  static constexpr int elements = Word::elements;
  static constexpr int count = Crossed ? 2 : 1;
  double v[count * elements]; ///< the first of each element, then the second

  template <class Lane>
  RIDGE_DEVICE void find(const Lane& lane, const Operands<R, T>& in, const Word& from, Index word) {
    const R& r = in.reduction;
    if constexpr (Crossed) {
      RIDGE_UNROLL
      for (int e = 0; e < elements; e += 2) {
        const double xr = from.x[e], xi = from.x[e + 1], yr = from.y[e], yi = from.y[e + 1];
        v[e] = term_of(r, xr, yr);
        v[elements + e] = term_of(r, xi, yi);
        v[e + 1] = term_of(r, xr, yi);
        v[elements + e + 1] = term_of(r, -xi, yr);
      }
      return;
    }
    Pack<T, elements> x = from.x;
    if constexpr (R::stores) {
      if constexpr (Word::two) {
        x = r.stored(from.x, from.y);
      } else {
        x = r.stored(from.x);
      }
      lane.store(in.z, word * elements, x);
    }
    RIDGE_UNROLL
    for (int e = 0; e < elements; ++e) {
      const double value = x[e];
      if constexpr (Word::two && !R::stores) {
        v[e] = term_of(r, value, static_cast<double>(from.y[e]));
      } else {
        v[e] = term_of(r, value);
      }
    }
  }

  template <class A>
  RIDGE_DEVICE void add(A* sum) const {
    RIDGE_UNROLL
    for (int i = 0; i < count * elements; ++i)
      sum[i % elements].add(v[i]);
  }
};

/// Adds the terms of a batch. Binned sums make room for all of them first: then nothing keeps their
/// additions from overlapping.
template <class T, class R, bool Crossed, int Items>
RIDGE_DEVICE void add_batch(Terms<T, R, Crossed>* terms, BinnedSum<double>* sum) {
  constexpr int elements = Terms<T, R, Crossed>::elements;
  constexpr int count = Terms<T, R, Crossed>::count * elements;
  bool room = true;
  RIDGE_UNROLL
  for (int n = 0; n < Items * count; ++n) {
    double& x = terms[n / count].v[n % count];
    x = detail::opaque(x);
    room = room && sum[n % elements].has_room(x);
  }
  if (!room) {
    RIDGE_NO_UNROLL
    for (int pass = 0; pass < 2; ++pass) { // one may scale what had room before it
      RIDGE_UNROLL
      for (int n = 0; n < Items * count; ++n)
        sum[n % elements].make_room(terms[n / count].v[n % count]);
    }
  }
  RIDGE_UNROLL
  for (int n = 0; n < Items * count; ++n)
    sum[n % elements].add_below_top(terms[n / count].v[n % count]);
}
template <class T, class R, bool Crossed, int Items, class A>
RIDGE_DEVICE void add_batch(Terms<T, R, Crossed>* terms, A* sum) {
  RIDGE_UNROLL
  for (int i = 0; i < Items; ++i)
    terms[i].add(sum);
}

/// Who leaves sums: the block's number within a slice, and the thread's.
struct Origin {
  Index slice, block, number;
};

/// The block's sums of element `e`, one for each word of a period, or for each component.
template <class A, class Lane>
RIDGE_DEVICE void leave_components(const Lane& lane, const FlatWalk& walk, const Partials& partials,
                                   Index row, int e, const A& sum) {
  const int t = lane.thread().x;
  const int threads = lane.block_extent().x;
  const int merged = walk.words / partials.words; // words of a vector that are merged: all or 1
  auto shared = lane.template shared<A>(0, threads);
  lane.barrier();
  shared[t] = sum;
  lane.barrier();
  merge_across<A>(lane, shared, t, t / walk.period, threads / walk.period, walk.period);
  const bool first = t < walk.period;
  merge_across<A>(lane, shared, t, first ? t % merged : merged, merged, 1);
  if (first && t % merged == 0) {
    const A all = shared[t];
    const Index entry = row * (walk.period / merged) + t / merged;
    store_partial(lane, partials.w, entry * partials.elements + e, all);
  }
}

/// Stores this thread's sums, or the block's.
template <int Elements, class A, class Lane>
RIDGE_DEVICE void leave(const Lane& lane, const FlatWalk& walk, const Partials& partials,
                        const Origin& from, A* sum) {
  // Lanes of one result are merged in the thread: elements of a word to real and imaginary part.
  const int left = partials.elements;
  // Indices are constants, so that the sums stay in registers.
  if (left == 1) {
    RIDGE_UNROLL
    for (int e = 1; e < Elements; ++e)
      sum[0].merge(sum[e]);
  } else if (left == 2) {
    RIDGE_UNROLL
    for (int e = 2; e < Elements; ++e)
      sum[e & 1].merge(sum[e]);
  }
  RIDGE_UNROLL
  for (int e = 0; e < Elements; ++e) {
    if (e >= left) continue;
    const Index row = from.slice * walk.blocks + from.block;
    if (!walk.combine) {
      const Index entry = from.slice * walk.active + from.number;
      if (from.number < walk.active) store_partial(lane, partials.w, entry * left + e, sum[e]);
    } else if (walk.period == 1) {
      const A all = merge_block(lane, sum[e]);
      if (lane.thread().x == 0) store_partial(lane, partials.w, row * left + e, all);
    } else {
      leave_components(lane, walk, partials, row, e, sum[e]);
    }
  }
}

template <class T, class R, bool Crossed, class A, int Items>
struct FlatReduce {
  using Sum = A;
  static constexpr int items = Items;
  static constexpr bool shares = true; ///< blocks may have shares of their own
  static constexpr int max_threads = A::words > 1 ? most_binned_threads : Items > 4 ? 256 : 1024;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "lattice reduction";
  static constexpr int elements = Loaded<T, R>::elements;
  /// Where a batch is loaded while the one before is taken.
  static constexpr bool ahead = A::words > 1 || R::stores;
  using Word = Loaded<T, R>;
  using Found = Terms<T, R, Crossed>;
  Operands<R, T> in;
  FlatWalk walk;
  Partials partials;
  Results results;
  Span<unsigned> counter;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    const int t = lane.thread().x;
    const int threads = lane.block_extent().x;
    const Index slices = results.slices;
    const Index slice = slices > 1 ? lane.block().x % slices : 0;
    const Index block = slices > 1 ? lane.block().x / slices : lane.block().x;
    A sum[elements];
    RIDGE_UNROLL
    for (int e = 0; e < elements; ++e)
      sum[e].clear();
    const Index number = block * threads + t;
    if (number < walk.active) {
      const bool shares = walk.share > 0;
      const Index end = shares ? (block + 1) * walk.share : walk.total;
      const Index stop = end < walk.total ? end : walk.total;
      const Cursor start(walk, shares ? block * walk.share + t : number, slice);
      if constexpr (ahead) {
        stream_ahead(lane, start, stop, sum);
      } else {
        stream(lane, start, stop, sum);
      }
    }
    leave<elements>(lane, walk, partials, {slice, block, number}, sum);
    if (walk.last) finish(lane);
  }

private:
  /// Loads the next N words of the thread.
  template <int N, class Lane>
  RIDGE_DEVICE void load(const Lane& lane, Word* v, Cursor& c) const {
    const Index reach = (N - 1) * walk.stride;
    if (c.in_run + reach < walk.run) { // then addresses cost an addition each
      RIDGE_UNROLL
      for (int i = 0; i < N; ++i)
        v[i].load(lane, in, c.address + i * walk.stride);
      c.skip(reach);
      c.step(walk);
    } else {
      RIDGE_UNROLL
      for (int i = 0; i < N; ++i) {
        v[i].load(lane, in, c.address);
        c.step(walk);
      }
    }
  }
  /// Adds what a word gives, which stores nothing.
  template <class Lane>
  RIDGE_DEVICE void take(const Lane& lane, const Word& v, A* sum) const {
    Found terms;
    terms.find(lane, in, v, 0);
    terms.add(sum);
  }

  /// Takes every word of the thread up to `end`, a batch at a time. Nothing of the next batch is
  /// loaded ahead: the compiler would copy it between registers, and so wait for it at once. Other
  /// warps fill the gap.
  template <class Lane>
  RIDGE_DEVICE void stream(const Lane& lane, Cursor c, Index end, A* sum) const {
    const Index reach = (Items - 1) * walk.stride;
    while (c.at + reach < end) {
      Word v[Items];
      load<Items>(lane, v, c);
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        take(lane, v[i], sum);
    }
    take_rest<Items - 1>(lane, c, end, sum);
  }

  /// Fewer words than a batch, loaded at once.
  template <int N, class Lane>
  RIDGE_DEVICE void take_rest(const Lane& lane, Cursor& c, Index end, A* sum) const {
    if constexpr (N > 0) {
      Word v[N];
      bool there[N];
      RIDGE_UNROLL
      for (int i = 0; i < N; ++i) {
        there[i] = c.at < end;
        if (there[i]) v[i].load(lane, in, c.address);
        c.step(walk);
      }
      RIDGE_UNROLL
      for (int i = 0; i < N; ++i) {
        if (there[i]) take(lane, v[i], sum);
      }
    }
  }

public:
  /// Reduces and stores, or checks and settles its sums: each batch is loaded while the one
  /// before is taken, word by word. Addresses by the batch, as above, make these slower. `kept`
  /// gives what of a word counts, where not all does.
  template <class Lane, class Position, class... Kept>
  RIDGE_DEVICE void stream_ahead(const Lane& lane, Position c, Index end, A* sum,
                                 const Kept&... kept) const {
    const Index reach = (Items - 1) * walk.stride;
    Word v[Items];
    Position taken = c; // follows the loads, for what is stored
    const auto load = [&](int i) {
      v[i].load(lane, in, c.address);
      c.step(walk);
    };
    const auto find = [&](Found& terms, int i) {
      if constexpr (sizeof...(kept) == 0) {
        terms.find(lane, in, v[i], taken.address);
      } else {
        terms.find(lane, in, kept(v[i])..., taken.address);
      }
      taken.step(walk);
    };
    int since = 0;
    if (c.at + reach < end) {
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        load(i);
      while (c.at + reach < end) {
        Found terms[Items];
        RIDGE_UNROLL
        for (int i = 0; i < Items; ++i) {
          find(terms[i], i);
          if constexpr (A::words == 1) terms[i].add(sum); // and is no longer held
          load(i);
        }
        if constexpr (A::words > 1) add_batch<T, R, Crossed, Items>(terms, sum);
        since += 2 * Items;
        if (since + 4 * Items > A::period) {
          settle(sum);
          since = 0;
        }
      }
      Found terms[Items];
      RIDGE_UNROLL
      for (int i = 0; i < Items; ++i)
        find(terms[i], i);
      add_batch<T, R, Crossed, Items>(terms, sum);
    }
    settle(sum);
    bool there[Items];
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i) {
      there[i] = c.at < end;
      if (there[i]) load(i);
    }
    RIDGE_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (!there[i]) continue;
      Found terms;
      find(terms, i);
      terms.add(sum);
    }
    settle(sum);
  }

private:
  static RIDGE_DEVICE void settle(A* sum) {
    RIDGE_UNROLL
    for (int e = 0; e < elements; ++e)
      sum[e].settle();
  }

  template <class Lane>
  RIDGE_DEVICE void finish(const Lane& lane) const {
    lane.fence();
    auto is_last = lane.template shared<unsigned>(0, 1);
    lane.barrier();
    if (lane.thread().x == 0) {
      const auto blocks = static_cast<unsigned>(lane.grid_extent().x);
      is_last[0] = lane.atomic_add(counter, 0, 1u) + 1 == blocks ? 1u : 0u;
    }
    lane.barrier();
    const unsigned last = is_last[0];
    if (last == 0) return;
    lane.fence();
    finish_all<A>(lane, partials, results, walk.team, 0, 1);
    if (lane.thread().x == 0) lane.store(counter, 0, 0u);
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
