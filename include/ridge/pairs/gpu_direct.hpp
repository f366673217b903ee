// GPU executor "direct": every target visits all sources.
//
// A thread keeps `tile` targets and their sums in registers. The block's threads load sources
// together and hand them round by shared memory, shuffles, or both. With split sources several
// blocks have the same targets, each a part of the sources.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/pairs/gpu_bodies.hpp>
#include <ridge/pairs/gpu_schedule.hpp>
#include <ridge/pairs/gpu_turns.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

/// Which fields of a schedule a direct kernel is compiled for.
struct DirectVariant {
  Stage stage = Stage::shared;
  int tile = 1;
  int unroll = 4;
};

template <class I, class P, DirectVariant D>
struct Direct {
  static constexpr int max_threads = most_threads(D.tile);
  static constexpr int min_blocks = D.tile == 8 && sizeof(typename P::Computed) == 4 ? 4 : 0;
  static constexpr const char* name = "pairs direct";
  using Stored = typename P::Stored;
  using Summed = typename P::Summed;
  using V = Value<P>;
  using Shared = SharedBodies<P, I::sources>;
  /// Long sums are made of shorter ones, so that rounding errors stay those of so many terms; the
  /// totals lie in shared memory.
  static constexpr bool widens = !std::is_same_v<Summed, typename P::Computed>;
  static constexpr int terms = widens ? 256 : 1024;
  static constexpr int control_bytes = 16;

  Call<I, P> call;
  int target_blocks; ///< blocks it takes for all targets, with one part of the sources
  int split;
  Index part; ///< sources of a part
  Combine combine;
  Span<unsigned> counters; ///< of each target block; one more for tickets
  Span<Summed> partial;    ///< combine=last: [part][component][target]

  [[nodiscard]] static int shared_bytes(int block, Index part) {
    const int totals = D.tile * I::sums * block * static_cast<int>(sizeof(Summed));
    return tile_bytes(block) + (part > terms ? totals : 0);
  }

  /// A lane's targets and sums.
  struct Mine {
    Body<P, I::targets> target[D.tile];
    Body<P, I::sums> sum[D.tile];
    Index first;         ///< the first target
    Index stride;        ///< to the next
    int unfolded = 0;    ///< terms that the sums have
    bool folded = false; ///< there are totals
  };

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int threads = lane.block_extent().x;
    const bool ordered = split > 1 && combine == Combine::ordered;
    const int item = ordered ? draw_ticket(lane, counters, target_blocks, 0, target_blocks * split)
                             : lane.block().x;
    const int my_part = item / target_blocks;
    const int my_block = item % target_blocks;
    const Index count = call.targets[0].size;
    const Index first = Index{my_block} * threads * D.tile;
    const Origin<I, P> origin(lane, call.targets, first);

    Mine mine;
    mine.first = first + lane.rank();
    mine.stride = threads;
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      const Index i = mine.first + k * mine.stride;
      mine.target[k] =
          load_body<P, I::targets>(lane, origin, call.targets, i < count ? i : count - 1);
      clear(mine.sum[k]);
    }
    const Index begin = my_part * part;
    const Index end = begin + part < call.sources[0].size ? begin + part : call.sources[0].size;
    if constexpr (D.stage == Stage::shuffle) {
      visit_by_warps(lane, origin, mine, begin, end);
    } else {
      visit_by_tiles(lane, origin, mine, begin, end);
    }
    finish(lane, mine, my_block, my_part);
  }

private:
  template <int N>
  static RIDGE_DEVICE void clear(Body<P, N>& body) {
    RIDGE_UNROLL
    for (int c = 0; c < N; ++c)
      body.at[c] = V(0);
  }

  /// Shared memory before the totals.
  static RIDGE_FN int tile_bytes(int block) {
    return control_bytes + (D.stage == Stage::shuffle ? 0 : 2 * block * Shared::bytes);
  }
  template <class Lane>
  static RIDGE_DEVICE auto totals_of(Lane& lane) {
    const int threads = lane.block_extent().x;
    return lane.template shared<Summed>(tile_bytes(threads), D.tile * I::sums * threads);
  }
  static RIDGE_DEVICE int total_slot(const Mine& mine, int rank, int k, int c) {
    return (k * I::sums + c) * static_cast<int>(mine.stride) + rank;
  }

  /// Adds the sums to the totals once they have `terms` terms.
  template <class Lane>
  RIDGE_DEVICE void fold_after(Lane& lane, Mine& mine, int count) const {
    if (part <= terms) return;
    mine.unfolded += count;
    if (mine.unfolded < terms) return;
    const auto totals = totals_of(lane);
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c) {
        const int slot = total_slot(mine, lane.rank(), k, c);
        const Summed sum = static_cast<Summed>(mine.sum[k].at[c][0]);
        if (mine.folded) {
          totals[slot] += sum;
        } else {
          totals[slot] = sum;
        }
        mine.sum[k].at[c] = V(0);
      }
    }
    mine.unfolded = 0;
    mine.folded = true;
  }

  /// Whether some target of the block may be among these sources.
  RIDGE_DEVICE bool meets_itself(const Mine& mine, int rank, Index begin, Index end) const {
    const Index first = mine.first - rank;
    return call.skip_self && begin < first + mine.stride * D.tile && first < end;
  }

  /// Source `j` for each target; `guarded`: except for itself.
  template <bool Guarded>
  RIDGE_DEVICE void interact(Mine& mine, const Body<P, I::sources>& source, Index j) const {
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      if (Guarded && j == mine.first + k * mine.stride) continue;
      call.interaction(mine.target[k].at, source.at, mine.sum[k].at);
    }
  }

  /// `count` sources, number `j` and on, that `get(s)` hands out.
  template <bool Guarded, class Get>
  RIDGE_DEVICE void interact_all(Mine& mine, Index j, int count, const Get& get) const {
    int s = 0;
    if constexpr (!Guarded) {
      for (; s + D.unroll <= count; s += D.unroll) {
        RIDGE_UNROLL
        for (int u = 0; u < D.unroll; ++u)
          interact<false>(mine, get(s + u), j + s + u);
      }
    }
    for (; s < count; ++s)
      interact<Guarded>(mine, get(s), j + s);
  }

  template <class Lane>
  RIDGE_DEVICE void visit_by_tiles(Lane& lane, const Origin<I, P>& origin, Mine& mine, Index begin,
                                   Index end) const {
    const int threads = static_cast<int>(mine.stride);
    const int rank = lane.rank();
    const auto tiles =
        lane.template shared<typename P::Computed>(control_bytes, 2 * threads * Shared::padded);
    const auto fetch = [&](Index j) {
      return load_body<P, I::sources>(lane, origin, call.sources, j < end ? j : end - 1);
    };
    Body<P, I::sources> next = fetch(begin + rank);
    int half = 0;
    for (Index tile = begin; tile < end; tile += threads) {
      Shared::put(tiles, half * threads + rank, next);
      lane.barrier();
      if (tile + threads < end) next = fetch(tile + threads + rank);
      const int count = end - tile < threads ? static_cast<int>(end - tile) : threads;
      const bool guarded = meets_itself(mine, rank, tile, tile + count);
      visit_tile(lane, mine, tiles, half * threads, tile, count, guarded);
      fold_after(lane, mine, count);
      half = 1 - half;
    }
  }

  /// The sources of one tile, at slot `slot` and on.
  template <class Lane, class Tiles>
  RIDGE_DEVICE void visit_tile(Lane& lane, Mine& mine, const Tiles& tiles, int slot, Index j,
                               int count, bool guarded) const {
    if constexpr (D.stage == Stage::both) {
      for (int s = 0; s < count; s += Lane::warp_width) {
        const int left = count - s < Lane::warp_width ? count - s : Lane::warp_width;
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

  template <class Lane>
  RIDGE_DEVICE void visit_by_warps(Lane& lane, const Origin<I, P>& origin, Mine& mine, Index begin,
                                   Index end) const {
    constexpr int width = Lane::warp_width;
    for (Index j = begin; j < end; j += width) {
      const int count = end - j < width ? static_cast<int>(end - j) : width;
      const Index own = j + (lane.lane() < count ? lane.lane() : count - 1);
      const auto source = load_body<P, I::sources>(lane, origin, call.sources, own);
      visit_warp(lane, mine, source, j, count, meets_itself(mine, lane.rank(), j, j + count));
      fold_after(lane, mine, count);
    }
  }

  /// Calls `f(target, component, sum)` for what this lane has.
  template <class Lane, class F>
  RIDGE_DEVICE void for_each_sum(Lane& lane, const Mine& mine, const F& f) const {
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      const Index i = mine.first + k * mine.stride;
      if (i < call.targets[0].size) {
        RIDGE_UNROLL
        for (int c = 0; c < I::sums; ++c) {
          Summed sum = static_cast<Summed>(mine.sum[k].at[c][0]);
          if (mine.folded) {
            const Summed total = totals_of(lane)[total_slot(mine, lane.rank(), k, c)];
            sum += total;
          }
          f(i, c, sum);
        }
      }
    }
  }

  template <class Lane>
  RIDGE_DEVICE void finish(Lane& lane, const Mine& mine, int my_block, int my_part) const {
    if (split == 1) {
      for_each_sum(lane, mine,
                   [&](Index i, int c, Summed sum) { lane.store(call.sums[c], i, sum); });
    } else if (combine == Combine::atomic) {
      for_each_sum(lane, mine,
                   [&](Index i, int c, Summed sum) { lane.atomic_add(call.sums[c], i, sum); });
    } else if (combine == Combine::ordered) {
      wait_for_turn(lane, counters, my_block, my_part);
      for_each_sum(lane, mine, [&](Index i, int c, Summed sum) {
        const Summed before = my_part == 0 ? Summed{0} : lane.load_relaxed(call.sums[c], i);
        lane.store(call.sums[c], i, before + sum);
      });
      end_turn(lane, counters, my_block, my_part, split);
    } else {
      finish_last(lane, mine, my_block, my_part);
    }
  }

  /// Every block stores its part; the last one adds them up, always in the same order.
  template <class Lane>
  RIDGE_DEVICE void finish_last(Lane& lane, const Mine& mine, int my_block, int my_part) const {
    const Index count = call.targets[0].size;
    const auto place = [&](int p, int c, Index i) { return (Index{p} * I::sums + c) * count + i; };
    for_each_sum(lane, mine, [&](Index i, int c, Summed sum) {
      lane.store(partial, place(my_part, c, i), sum);
    });
    lane.fence();
    lane.barrier();
    const auto arrived = lane.template shared<int>(0, 1);
    if (lane.rank() == 0) {
      const unsigned before = lane.atomic_add(counters, my_block, 1u);
      if (before + 1 == static_cast<unsigned>(split)) {
        lane.atomic_add(counters, my_block, 0u - static_cast<unsigned>(split));
      }
      lane.fence();
      arrived[0] = static_cast<int>(before);
    }
    lane.barrier();
    const int before = arrived[0];
    if (before + 1 < split) return;
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      const Index i = mine.first + k * mine.stride;
      if (i < count) {
        RIDGE_UNROLL
        for (int c = 0; c < I::sums; ++c)
          lane.store(call.sums[c], i, sum_of_parts(lane, place(0, c, i), I::sums * count));
      }
    }
  }

  /// Of the values at `first` and every `stride` after; so many are in flight at a time.
  template <class Lane>
  RIDGE_DEVICE Summed sum_of_parts(Lane& lane, Index first, Index stride) const {
    constexpr int batch = 8;
    Summed sum = 0;
    for (int p = 0; p < split; p += batch) {
      Summed parts[batch];
      RIDGE_UNROLL
      for (int b = 0; b < batch; ++b)
        parts[b] = p + b < split ? lane.load_relaxed(partial, first + (p + b) * stride) : Summed{0};
      RIDGE_UNROLL
      for (int b = 0; b < batch; ++b)
        sum += parts[b];
    }
    return sum;
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
