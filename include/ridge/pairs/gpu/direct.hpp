// GPU executor "direct": every target visits all sources.
//
// A thread keeps `tile` targets and their sums in registers. Sources are loaded by many lanes, one
// each, and handed round by shared memory, shuffles, or both. With split sources several blocks
// have the same targets, each a part of the sources.
#pragma once

#include <ridge/pairs/gpu/direct_sums.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

/// Sources that a lane has on their way from its warp's part of shared memory. The compiler for AMD
/// GPUs begins so many interactions at once that more than four do not fit the registers.
#if defined(RIDGE_TARGET_HIP)
inline constexpr int sources_together = 4;
#else
inline constexpr int sources_together = 8;
#endif

template <class I, class P, DirectVariant D>
struct Direct : DirectSums<I, P, D> {
  using Sums = DirectSums<I, P, D>;
  using typename Sums::Mine;
  using typename Sums::Shared;
  using V = Value<P>;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int threads = lane.block_extent().x;
    const int item = this->item_of(lane);
    const int my_part = this->plan.split == 1 ? 0 : item / this->plan.target_blocks;
    const int my_block = item - my_part * this->plan.target_blocks;
    const auto& call = this->call;
    const Index count = call.targets[0].size;
    // With shared targets every warp has those of the block's first.
    const int group = lane.width() / D.ways;
    const int warp = this->plan.shares ? 0 : lane.rank() / lane.width();
    const int holders = this->plan.shares ? group : threads / D.ways;
    const Index first = Index{my_block} * holders * D.tile;
    const Origin<I, P> origin(lane, call.targets, first);

    Mine mine;
    mine.block_first = first;
    mine.first = first + warp * group + lane.lane() % group;
    mine.stride = holders;
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      const Index i = mine.first + k * mine.stride;
      mine.target[k] =
          load_body<P, I::targets>(lane, origin, call.targets, i < count ? i : count - 1);
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        mine.sum[k].at[c] = V(0);
    }
    const Index sources = call.sources[0].size;
    Index begin = my_part * this->plan.part;
    Index end = begin + this->plan.part < sources ? begin + this->plan.part : sources;
    if constexpr (D.stage == Stage::shuffle || D.stage == Stage::warp) {
      if (this->plan.shares) {
        begin += lane.rank() / lane.width() * this->plan.visited;
        if (begin + this->plan.visited < end) end = begin + this->plan.visited;
      }
      visit_by_warps(lane, origin, mine, begin, end);
    } else {
      visit_by_tiles(lane, origin, mine, begin, end);
    }
    this->finish(lane, mine, my_block, my_part);
  }

private:
  /// Whether some target of the block may be among these sources.
  RIDGE_DEVICE bool meets_itself(const Mine& mine, Index begin, Index end) const {
    return this->call.skip_self && begin < mine.block_first + mine.stride * D.tile &&
           mine.block_first < end;
  }

  /// Source `j` for each target; guarded: except for itself.
  template <bool Guarded>
  RIDGE_DEVICE void interact(Mine& mine, const Body<P, I::sources>& source, Index j) const {
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      if constexpr (Guarded) {
        // Computed and then not taken: lanes that part ways would cost more.
        Body<P, I::sums> with = mine.sum[k];
        this->call.interaction(mine.target[k].at, source.at, with.at);
        if (j != mine.first + k * mine.stride) mine.sum[k] = with;
      } else {
        this->call.interaction(mine.target[k].at, source.at, mine.sum[k].at);
      }
    }
  }

  /// `count` sources, number `j` and on, that `get(s)` hands out.
  template <bool Guarded, class Get>
  RIDGE_DEVICE void interact_all(Mine& mine, Index j, int count, const Get& get) const {
    constexpr int unroll = Guarded && D.tile > 1 ? 1 : D.unroll;
    int s = 0;
    for (; s + unroll <= count; s += unroll) {
      RIDGE_UNROLL
      for (int u = 0; u < unroll; ++u)
        interact<Guarded>(mine, get(s + u), j + s + u);
    }
    if constexpr (unroll > 1) {
      for (; s < count; ++s)
        interact<Guarded>(mine, get(s), j + s);
    }
  }

  /// The same for the sources of a part of the warp, a number that the compilers for GPUs know.
  template <class Lane, class Get>
  RIDGE_DEVICE void interact_with_part(Lane& lane, Mine& mine, const Get& get) const {
    constexpr int least = Lane::least_width / D.ways;
    constexpr int unroll = sources_together < least ? sources_together : least;
    static_assert(least % unroll == 0);
    RIDGE_NO_UNROLL
    for (int s = 0; s < lane.width() / D.ways; s += unroll) {
      Body<P, I::sources> source[unroll]; // on their way together
      RIDGE_UNROLL
      for (int u = 0; u < unroll; ++u)
        source[u] = get(s + u);
      RIDGE_UNROLL
      for (int u = 0; u < unroll; ++u)
        interact<false>(mine, source[u], 0);
    }
  }

  template <class Lane>
  RIDGE_DEVICE void visit_by_tiles(Lane& lane, const Origin<I, P>& origin, Mine& mine, Index begin,
                                   Index end) const {
    const int threads = lane.block_extent().x;
    const int rank = lane.rank();
    const auto tiles = this->tiles_of(lane);
    const auto fetch = [&](Index j) {
      return load_body<P, I::sources>(lane, origin, this->call.sources, j < end ? j : end - 1);
    };
    Body<P, I::sources> next = fetch(begin + rank);
    int half = 0;
    for (Index tile = begin; tile < end; tile += threads) {
      Shared::put(tiles, half * threads + rank, next);
      lane.barrier();
      if (tile + threads < end) next = fetch(tile + threads + rank);
      const int count = end - tile < threads ? static_cast<int>(end - tile) : threads;
      const bool guarded = meets_itself(mine, tile, tile + count);
      visit_tile(lane, mine, tiles, half * threads, tile, count, guarded);
      this->fold_after(lane, mine, count);
      half = 1 - half;
    }
  }

  /// The sources of one tile, at slot `slot` and on.
  template <class Lane, class Tiles>
  RIDGE_DEVICE void visit_tile(Lane& lane, Mine& mine, const Tiles& tiles, int slot, Index j,
                               int count, bool guarded) const {
    if constexpr (D.stage == Stage::both) {
      for (int s = 0; s < count; s += lane.width()) {
        const int left = count - s < lane.width() ? count - s : lane.width();
        const int own = lane.lane() < left ? lane.lane() : left - 1;
        visit_warp(lane, mine, Shared::get(lane, tiles, slot + s + own), j + s, left, guarded);
      }
    } else {
      const auto get = [&](int s) { return Shared::get(lane, tiles, slot + s); };
      if (guarded) {
        interact_all<true>(mine, j, count, get);
      } else {
        interact_all<false>(mine, j, count, get);
      }
    }
  }

  /// Sources that lanes of the warp hold, one each.
  template <class Lane>
  RIDGE_DEVICE void visit_warp(Lane& lane, Mine& mine, const Body<P, I::sources>& own, Index j,
                               int count, bool guarded) const {
    const auto get = [&](int s) { return shuffled(lane, own, s); };
    if (guarded) {
      interact_all<true>(mine, j, count, get);
    } else {
      interact_all<false>(mine, j, count, get);
    }
  }

  /// Each warp for itself: through its own part of shared memory, some warps' widths of sources at
  /// a time, or by shuffles.
  template <class Lane>
  RIDGE_DEVICE void visit_by_warps(Lane& lane, const Origin<I, P>& origin, Mine& mine, Index begin,
                                   Index end) const {
    const int width = lane.width();
    constexpr int deep = D.stage == Stage::warp ? Sums::widths_of_a_warp : 1;
    const int batch = deep * width;
    if (begin >= end) return;
    struct {
      Body<P, I::sources> at[deep];
    } next;
    const auto fetch = [&](Index first) {
      const auto& sources = this->call.sources;
      const Index own = first + lane.lane();
      if (first + batch <= end) {
        RIDGE_UNROLL
        for (int d = 0; d < deep; ++d)
          next.at[d] = load_body<P, I::sources>(lane, origin, sources, own + d * width);
      } else {
        RIDGE_UNROLL
        for (int d = 0; d < deep; ++d) {
          const Index j = own + d * width;
          next.at[d] = load_body<P, I::sources>(lane, origin, sources, j < end ? j : end - 1);
        }
      }
    };
    fetch(begin);
    const int slot = lane.rank() / width * batch;
    for (Index j = begin; j < end; j += batch) {
      const int count = end - j < batch ? static_cast<int>(end - j) : batch;
      if constexpr (D.stage == Stage::warp) {
        const auto tiles = this->tiles_of(lane);
        RIDGE_UNROLL
        for (int d = 0; d < deep; ++d)
          Shared::put(tiles, slot + d * width + lane.lane(), next.at[d]);
        lane.warp_barrier();
        if (j + batch < end) fetch(j + batch);
        visit_batch(lane, mine, tiles, slot, j, count);
        lane.warp_barrier();
      } else {
        const Body<P, I::sources> own = next.at[0];
        if (j + batch < end) fetch(j + batch);
        visit_warp(lane, mine, own, j, count, meets_itself(mine, j, j + count));
      }
      this->fold_after(lane, mine, count);
    }
  }

  /// `count` sources at slot `slot` and on, number `j` and on, a warp's width at a time, of which
  /// each part of the warp visits its own.
  template <class Lane, class Tiles>
  RIDGE_DEVICE void visit_batch(Lane& lane, Mine& mine, const Tiles& tiles, int slot, Index j,
                                int count) const {
    const int width = lane.width();
    const int group = width / D.ways;
    const int skipped = D.ways == 1 ? 0 : lane.lane() / group * group;
    const bool some_guarded = meets_itself(mine, j, j + count);
    for (int s = 0; s < count; s += width) {
      const bool guarded = some_guarded && meets_itself(mine, j + s, j + s + width);
      const int own = s + skipped;
      if (s + width <= count && !guarded) {
        interact_with_part(lane, mine,
                           [&](int u) { return Shared::get(lane, tiles, slot + own + u); });
      } else {
        const int left = count - own < group ? count - own : group;
        visit_tile(lane, mine, tiles, slot + own, j + own, left, guarded);
      }
    }
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
