// Adding up what the threads or blocks of a reduction have left in memory, in a fixed order.
#pragma once

#include <ridge/core/index.hpp>
#include <ridge/device/lane.hpp>
#include <ridge/device/view.hpp>

namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME {

/// Partial results: [slice of a box][row][key][word of a vector][element of a word], each of
/// A::words doubles. All rows of a slice belong together.
struct Partials {
  Span<double> w;
  Index rows = 0;
  int keys = 1, words = 1, elements = 2;

  [[nodiscard]] RIDGE_FN Index columns() const { return Index{keys} * words * elements; }
};

/// Where the results of the lanes go.
struct Results {
  Span<double> to;
  Index slices = 1;         ///< of a box
  int boxes = 1;            ///< along the dimension
  int lane_stride = 1;      ///< between boxes
  int parts = 1;            ///< doubles of a result
  int parts_of_element = 1; ///< reals of a number of the field

  [[nodiscard]] RIDGE_FN Index count(int keys) const { return slices * boxes * keys * parts; }
};

template <class A, class Lane>
RIDGE_DEVICE A load_partial(const Lane& lane, const Span<double>& from, Index i) {
  A a;
  RIDGE_UNROLL
  for (int w = 0; w < A::words; ++w)
    a.w[w] = lane.load_nontemporal(from, i * A::words + w);
  return a;
}
template <class A, class Lane>
RIDGE_DEVICE void store_partial(const Lane& lane, const Span<double>& to, Index i, const A& a) {
  RIDGE_UNROLL
  for (int w = 0; w < A::words; ++w)
    lane.store(to, i * A::words + w, a.w[w]);
}

/// Merges the accumulators of `count` neighbouring threads, `stride` apart, into that of the first:
/// `mine` is that of this thread, `shared` holds one a thread. Every thread of the block calls it;
/// `position` is the thread's number among the neighbours, or count or more where it has no part.
template <class A, class Lane, class Shared>
RIDGE_DEVICE void merge_across(const Lane& lane, Shared& shared, int thread, int position,
                               int count, int stride) {
  for (int n = count; n > 1;) {
    const int half = (n + 1) / 2;
    if (position < n - half) {
      A a = shared[thread];
      const A other = shared[thread + half * stride];
      a.merge(other);
      shared[thread] = a;
    }
    lane.barrier();
    n = half;
  }
}

/// Merges the accumulators of all threads of the block; the first one has the result. A fixed
/// order, which depends on the number of threads alone. `Tree`: those of the warps by a warp, for
/// blocks of many; else in turn by a thread.
template <bool Tree = false, class A, class Lane>
RIDGE_DEVICE A merge_block(const Lane& lane, A a) {
  const int threads = lane.block_extent().x;
  const int t = lane.thread().x;
  auto shared = lane.template shared<A>(0, threads);
  if (threads % lane.width() != 0) {
    lane.barrier();
    shared[t] = a;
    lane.barrier();
    merge_across<A>(lane, shared, t, t, threads, 1);
    if (t == 0) a = shared[0];
    return a;
  }
  RIDGE_UNROLL
  for (int mask = lane.width() / 2; mask > 0; mask /= 2)
    a.merge(lane.shuffle_xor(a, mask));
  const int warps = threads / lane.width();
  if (warps == 1) return a;
  lane.barrier();
  if (lane.lane() == 0) shared[t / lane.width()] = a;
  lane.barrier();
  if constexpr (Tree) {
    if (t >= lane.width()) return a;
    a.clear();
    if (t < warps) a = shared[t];
    RIDGE_UNROLL
    for (int mask = lane.width() / 2; mask > 0; mask /= 2)
      a.merge(lane.shuffle_xor(a, mask));
  } else if (t == 0) {
    for (int warp = 1; warp < warps; ++warp) {
      const A other = shared[warp];
      a.merge(other);
    }
  }
  return a;
}

/// Merges the accumulators of each `team` threads that follow each other, a power of two or the
/// whole block; the first of them has the result.
template <class A, class Lane>
RIDGE_DEVICE A merge_team(const Lane& lane, A a, int team) {
  const int threads = lane.block_extent().x;
  const int t = lane.thread().x;
  if (team == threads) return merge_block(lane, a);
  if (team <= lane.width() && threads % lane.width() == 0) {
    for (int mask = team / 2; mask > 0; mask /= 2)
      a.merge(lane.shuffle_xor(a, mask));
    return a;
  }
  auto shared = lane.template shared<A>(0, threads);
  lane.barrier();
  shared[t] = a;
  lane.barrier();
  merge_across<A>(lane, shared, t, t / team < threads / team ? t % team : team, team, 1);
  a = shared[t];
  return a;
}

/// Merges entries `position`, `position + team`, ... of `count`, the accumulator `at(i)` of `from`
/// being that of entry i: several under way.
template <class A, class Lane, class At>
RIDGE_DEVICE void merge_entries(const Lane& lane, A& a, const Span<double>& from, int position,
                                int team, unsigned count, const At& at) {
  constexpr int batch = A::words > 1 ? 1 : 4;
  for (auto i = static_cast<unsigned>(position); i < count; i += batch * team) {
    A found[batch];
    RIDGE_UNROLL
    for (int k = 0; k < batch; ++k) {
      found[k].clear();
      const unsigned entry = i + k * team;
      if (entry < count) found[k] = load_partial<A>(lane, from, at(entry));
    }
    RIDGE_UNROLL
    for (int k = 0; k < batch; ++k)
      a.merge(found[k]);
  }
}

/// The sum of the partial results that thread `position` of `team` takes for result `o`.
template <class A, class Lane>
RIDGE_DEVICE A gather(const Lane& lane, const Partials& p, const Results& r, Index o, int position,
                      int team) {
  const auto number_of = static_cast<unsigned>(o); // 32 bits divide in a fraction of the time
  const int part = static_cast<int>(number_of % r.parts);
  const int key = static_cast<int>(number_of / r.parts % p.keys);
  const unsigned slice = number_of / r.parts / p.keys;
  const auto slices = static_cast<unsigned>(r.slices);
  const int box = static_cast<int>(slice / slices);
  const Index first = (slice % slices) * p.rows;
  const auto entries = static_cast<unsigned>(p.rows * p.words);
  const auto words = static_cast<unsigned>(p.words);
  const auto at = [&](unsigned i) { // element 0 of entry i
    return (((first + i / words) * p.keys + key) * p.words + i % words) * p.elements;
  };
  A a;
  a.clear();
  if (r.boxes == 1 && p.elements == r.parts) { // an element of each entry, several under way
    merge_entries(lane, a, p.w, position, team, entries, [&](unsigned i) { return at(i) + part; });
    return a;
  }
  RIDGE_NO_UNROLL
  for (auto i = static_cast<unsigned>(position); i < entries; i += team) {
    RIDGE_NO_UNROLL
    for (int e = 0; e < p.elements; ++e) {
      const int number = (static_cast<int>(i % words) * p.elements + e) / r.parts_of_element;
      if (r.parts == 2 && e % 2 != part) continue;
      if (r.boxes > 1 && number / r.lane_stride % r.boxes != box) continue;
      a.merge(load_partial<A>(lane, p.w, at(i) + e));
    }
  }
  return a;
}

/// All results, by block `block` of `blocks`: one by each team of threads at a time. `Partial`: the
/// accumulators themselves.
template <class A, bool Partial = false, class Lane>
RIDGE_DEVICE void finish_all(const Lane& lane, const Partials& p, const Results& r, int team,
                             Index block, Index blocks) {
  const int teams = lane.block_extent().x / team;
  const int mine = lane.thread().x / team;
  const int position = lane.thread().x % team;
  const Index count = r.count(p.keys);
  for (Index first = block * teams; first < count; first += blocks * teams) {
    const bool there = mine < teams && first + mine < count;
    A a;
    a.clear();
    if (there) a = gather<A>(lane, p, r, first + mine, position, team);
    a = merge_team(lane, a, team);
    if constexpr (Partial) {
      if (there && position == 0) store_partial(lane, r.to, first + mine, a);
    } else {
      if (there && position == 0) lane.store(r.to, first + mine, a.value());
    }
  }
}

inline constexpr int finish_threads = 256;

/// A launch of its own that finishes.
template <class A, bool Partial = false>
struct FinishPass {
  static constexpr int max_threads = finish_threads;
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "lattice reduction, finish";
  Partials partials;
  Results results;
  int team;

  template <class Lane>
  RIDGE_DEVICE void operator()(const Lane& lane) const {
    finish_all<A, Partial>(lane, partials, results, team, lane.block().x, lane.grid_extent().x);
  }
};

} // namespace ridge::lattice::gpu::inline RIDGE_TARGET_NAME
