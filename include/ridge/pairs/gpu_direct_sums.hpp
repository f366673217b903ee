// The sums of a direct summation: short ones in registers, totals in shared memory, and how blocks
// with the same targets bring theirs together.
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
struct DirectSums {
  static constexpr int max_threads = most_threads(D.stage, D.tile);
  static constexpr int min_blocks = D.tile == 8 && sizeof(typename P::Computed) == 4 ? 4 : 0;
  static constexpr const char* name = "pairs direct";
  using Stored = typename P::Stored;
  using Summed = typename P::Summed;
  using V = Value<P>;
  using Shared = SharedBodies<P, I::sources>;
  /// Long sums are made of shorter ones, so that rounding errors stay those of so many terms.
  static constexpr bool widens = !std::is_same_v<Summed, typename P::Computed>;
  static constexpr int terms = widens ? 256 : 1024;
  static constexpr int control_bytes = 16;

  Call<I, P> call;
  int target_blocks; ///< blocks it takes for all targets, with one part of the sources
  int split;
  Index part;  ///< sources of a part
  bool shares; ///< the warps of a block have the same targets
  Combine combine;
  Span<unsigned> counters; ///< of each target block; one more for tickets
  Span<Summed> partial;    ///< combine=last: [part][component][target]

  /// A lane's targets and sums.
  struct Mine {
    Body<P, I::targets> target[D.tile];
    Body<P, I::sums> sum[D.tile];
    Index block_first;   ///< the block's first target
    Index first;         ///< the lane's first
    Index stride;        ///< to its next
    int unfolded = 0;    ///< terms that the sums have
    bool folded = false; ///< there are totals
  };

  /// Sources that one of `warps` warps of a block visits of a part that they share.
  [[nodiscard]] RIDGE_FN Index share_of_warp(int warps, int width) const {
    const Index even = (part + warps - 1) / warps;
    return (even + width - 1) / width * width;
  }
  [[nodiscard]] int shared_bytes(int block, int warp_width) const {
    const Index visited = shares ? share_of_warp(block / warp_width, warp_width) : part;
    const int totals = D.tile * I::sums * block * static_cast<int>(sizeof(Summed));
    return tile_bytes(block) + (shares || visited > terms ? totals : 0);
  }

protected:
  /// Shared memory before the totals.
  static RIDGE_FN int tile_bytes(int block) {
    return control_bytes + (D.stage == Stage::shuffle ? 0 : 2 * block * Shared::bytes);
  }
  template <class Lane>
  static RIDGE_DEVICE auto tiles_of(Lane& lane) {
    return lane.template shared<typename P::Computed>(control_bytes,
                                                      2 * lane.block_extent().x * Shared::padded);
  }
  template <class Lane>
  static RIDGE_DEVICE auto totals_of(Lane& lane) {
    const int threads = lane.block_extent().x;
    return lane.template shared<Summed>(tile_bytes(threads), D.tile * I::sums * threads);
  }
  static RIDGE_DEVICE int total_slot(int threads, int rank, int k, int c) {
    return (k * I::sums + c) * threads + rank;
  }

  /// The block's number among the work: in the order of tickets where blocks wait for each other.
  template <class Lane>
  RIDGE_DEVICE int item_of(Lane& lane) const {
    if (split == 1 || combine != Combine::ordered) return lane.block().x;
    return draw_ticket(lane, counters, target_blocks, 0, target_blocks * split);
  }

  /// The sum of `get(0)` to `get(count - 1)`, several of which are on their way at a time.
  template <class Get>
  static RIDGE_DEVICE Summed batched_sum(int count, const Get& get) {
    constexpr int batch = 8;
    Summed sum = 0;
    for (int first = 0; first < count; first += batch) {
      Summed values[batch];
      RIDGE_UNROLL
      for (int b = 0; b < batch; ++b)
        values[b] = first + b < count ? get(first + b) : Summed{0};
      RIDGE_UNROLL
      for (int b = 0; b < batch; ++b)
        sum += values[b];
    }
    return sum;
  }

  /// Adds the sums to the totals once they have `terms` terms.
  template <class Lane>
  RIDGE_DEVICE void fold_after(Lane& lane, Mine& mine, int count) const {
    const int threads = lane.block_extent().x;
    const Index visited =
        shares ? share_of_warp(threads / Lane::warp_width, Lane::warp_width) : part;
    if (visited <= terms) return;
    mine.unfolded += count;
    if (mine.unfolded < terms) return;
    store_totals(lane, mine);
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        mine.sum[k].at[c] = V(0);
    }
    mine.unfolded = 0;
  }

  /// Adds the sums to the totals.
  template <class Lane>
  RIDGE_DEVICE void store_totals(Lane& lane, Mine& mine) const {
    const auto totals = totals_of(lane);
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c) {
        const int slot = total_slot(lane.block_extent().x, lane.rank(), k, c);
        const Summed sum = static_cast<Summed>(mine.sum[k].at[c][0]);
        if (mine.folded) {
          totals[slot] += sum;
        } else {
          totals[slot] = sum;
        }
      }
    }
    mine.folded = true;
  }

  /// What the block has for one of this lane's sums.
  template <class Lane>
  RIDGE_DEVICE Summed sum_of(Lane& lane, const Mine& mine, int k, int c) const {
    const int threads = lane.block_extent().x;
    if (shares) {
      const auto totals = totals_of(lane);
      const int warps = threads / Lane::warp_width;
      return batched_sum(warps, [&](int w) {
        const Summed sum = totals[total_slot(threads, w * Lane::warp_width + lane.lane(), k, c)];
        return sum;
      });
    }
    Summed sum = static_cast<Summed>(mine.sum[k].at[c][0]);
    if (mine.folded) sum += totals_of(lane)[total_slot(threads, lane.rank(), k, c)];
    return sum;
  }

  /// Calls `f(target, component, k)` for the sums this lane answers for.
  template <class Lane, class F>
  RIDGE_DEVICE void for_each_place(Lane& lane, const Mine& mine, const F& f) const {
    if (shares && lane.rank() >= Lane::warp_width) return;
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      const Index i = mine.first + k * mine.stride;
      if (i < call.targets[0].size) {
        RIDGE_UNROLL
        for (int c = 0; c < I::sums; ++c)
          f(i, c, k);
      }
    }
  }

  template <class Lane>
  RIDGE_DEVICE void finish(Lane& lane, Mine& mine, int my_block, int my_part) const {
    if (shares) {
      store_totals(lane, mine);
      lane.barrier();
    }
    if (split == 1) {
      for_each_place(lane, mine, [&](Index i, int c, int k) {
        lane.store(call.sums[c], i, sum_of(lane, mine, k, c));
      });
    } else if (combine == Combine::atomic) {
      for_each_place(lane, mine, [&](Index i, int c, int k) {
        lane.atomic_add(call.sums[c], i, sum_of(lane, mine, k, c));
      });
    } else if (combine == Combine::ordered) {
      wait_for_turn(lane, counters, my_block, my_part);
      for_each_place(lane, mine, [&](Index i, int c, int k) {
        const Summed before = my_part == 0 ? Summed{0} : lane.load_relaxed(call.sums[c], i);
        lane.store(call.sums[c], i, before + sum_of(lane, mine, k, c));
      });
      end_turn(lane, counters, my_block, my_part, split);
    } else {
      finish_last(lane, mine, my_block, my_part);
    }
  }

private:
  /// Every block stores its part; the last one adds them up, always in the same order.
  template <class Lane>
  RIDGE_DEVICE void finish_last(Lane& lane, const Mine& mine, int my_block, int my_part) const {
    const Index count = call.targets[0].size;
    const auto place = [&](int p, int c, Index i) { return (Index{p} * I::sums + c) * count + i; };
    for_each_place(lane, mine, [&](Index i, int c, int k) {
      lane.store(partial, place(my_part, c, i), sum_of(lane, mine, k, c));
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
    for_each_place(lane, mine, [&](Index i, int c, int /*k*/) {
      lane.store(call.sums[c], i, batched_sum(split, [&](int p) {
                   return lane.load_relaxed(partial, place(p, c, i));
                 }));
    });
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
