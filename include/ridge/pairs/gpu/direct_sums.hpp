// The sums of a direct summation: short ones in registers, totals in shared memory, and how blocks
// with the same targets bring theirs together.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/pairs/gpu/bodies.hpp>
#include <ridge/pairs/gpu/plan.hpp>
#include <ridge/pairs/gpu/turns.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

template <class I, class P, DirectVariant D>
struct DirectSums {
  /// How many blocks are to fit a multiprocessor, which bounds a thread's registers; 0: as the
  /// compiler likes. It likes few for sums that are wider than what is computed, and each
  /// interaction then waits for the one before (docs/design/pairs.md).
  static constexpr int resident_blocks_of() {
    constexpr bool single = sizeof(typename P::Computed) == 4;
    if (D.stage == Stage::warp) return 1;
    if (single && D.tile == 8) return 4;
    if (single && sizeof(typename P::Summed) > 4 && D.stage == Stage::shared)
      return D.tile == 1 ? 3 : 2;
    return 0;
  }
  static constexpr int max_threads = most_threads(D.stage, D.tile);
  static constexpr int min_blocks = resident_blocks_of();
  static constexpr bool prepared_early = true;
  static constexpr const char* name = "pairs direct";
  using Stored = typename P::Stored;
  using Summed = typename P::Summed;
  using V = Value<P>;
  using Shared = SharedBodies<P, I::sources>;
  /// Long sums are made of shorter ones, so that rounding errors stay those of so many terms.
  static constexpr bool widens = !std::is_same_v<Summed, typename P::Computed>;
  static constexpr int terms = widens ? 256 : 1024;
  static constexpr int control_bytes = 16;
  /// With stage=warp: how many times a warp's width of sources it keeps in shared memory.
  static constexpr int widths_of_a_warp = Shared::bytes <= 16 ? 4 : 2;

  Call<I, P> call;
  DirectPlan plan;
  Span<Summed> partial; ///< combine=last: [part][component][target]

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

  static constexpr DirectFacts direct_facts() {
    return {D.tile,
            D.ways,
            I::sums,
            static_cast<int>(sizeof(Summed)),
            terms,
            control_bytes,
            bodies_a_thread * Shared::bytes,
            D.tile * I::sums * static_cast<int>(sizeof(Summed))};
  }
  static constexpr BodyFacts facts() {
    using C = Call<I, P>;
    BodyFacts f;
    f.bytes = static_cast<int>(sizeof(DirectSums));
    f.call_bytes = static_cast<int>(sizeof(C));
    // The spans lie behind the interaction, each list behind the one before.
    constexpr std::size_t alignment = alignof(decltype(C::targets));
    f.targets_offset = static_cast<int>((sizeof(I) + alignment - 1) / alignment * alignment);
    f.sources_offset = f.targets_offset + static_cast<int>(sizeof(C::targets));
    constexpr std::size_t of_plan = alignof(DirectPlan);
    f.plan_offset = static_cast<int>((sizeof(C) + of_plan - 1) / of_plan * of_plan);
    f.partial_offset = f.plan_offset + static_cast<int>(sizeof(DirectPlan));
    f.direct = direct_facts();
    return f;
  }

protected:
  /// In shared memory.
  static constexpr int bodies_a_thread = D.stage == Stage::shuffle ? 0
                                         : D.stage == Stage::warp  ? widths_of_a_warp
                                                                   : 2;
  /// Shared memory before the totals.
  static RIDGE_FN int tile_bytes(int block) {
    return control_bytes + bodies_a_thread * block * Shared::bytes;
  }
  template <class Lane>
  static RIDGE_DEVICE auto tiles_of(Lane& lane) {
    return lane.template shared<typename P::Computed>(
        control_bytes, bodies_a_thread * lane.block_extent().x * Shared::padded);
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
    if (plan.split == 1 || plan.combine != Combine::ordered) return lane.block().x;
    return draw_ticket(lane, plan.counters, plan.target_blocks, 0, plan.target_blocks * plan.split);
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
    if (plan.visited <= terms) return;
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

  /// The sum over the parts of the warp that have the same targets, on each of their lanes.
  template <class Lane>
  static RIDGE_DEVICE Summed sum_of_ways(Lane& lane, Summed sum) {
    RIDGE_UNROLL
    for (int way = 1; way < D.ways; way *= 2)
      sum += lane.shuffle_xor(sum, lane.width() / D.ways * way);
    return sum;
  }
  /// Whether the lane answers for its target `i`: it exists, and no lane before has it too.
  template <class Lane>
  RIDGE_DEVICE bool answers_for(Lane& lane, Index i) const {
    return i < call.targets[0].size && (D.ways == 1 || lane.lane() < lane.width() / D.ways);
  }

  /// Calls `f(target, component, value(component, k))` for the sums this lane answers for, of its
  /// target number k, where the warps of the block have targets of their own. Whole warps call
  /// `value`.
  template <class Lane, class Value, class F>
  RIDGE_DEVICE void for_each_own(Lane& lane, const Mine& mine, const Value& value,
                                 const F& f) const {
    RIDGE_UNROLL
    for (int k = 0; k < D.tile; ++k) {
      const Index i = mine.first + k * mine.stride;
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c) {
        const Summed sum = value(c, k);
        if (answers_for(lane, i)) f(i, c, sum);
      }
    }
  }
  /// The same where they have the same targets: each warp answers for some components of some.
  template <class Lane, class Value, class F>
  RIDGE_DEVICE void for_each_shared(Lane& lane, const Mine& mine, const Value& value,
                                    const F& f) const {
    const int warps = lane.block_extent().x / lane.width();
    for (int p = lane.rank() / lane.width(); p < D.tile * I::sums; p += warps) {
      const int k = p / I::sums, c = p % I::sums;
      const Index i = mine.first + k * mine.stride;
      const Summed sum = value(c, k);
      if (answers_for(lane, i)) f(i, c, sum);
    }
  }

  /// Calls `f(target, component, sum)` for every sum of the block once.
  template <class Lane, class F>
  RIDGE_DEVICE void for_each_sum(Lane& lane, const Mine& mine, const F& f) const {
    const int threads = lane.block_extent().x;
    if (plan.shares) {
      const auto totals = totals_of(lane);
      const auto over_warps = [&](int c, int k) {
        return sum_of_ways(lane, batched_sum(threads / lane.width(), [&](int w) {
                             const Summed part =
                                 totals[total_slot(threads, w * lane.width() + lane.lane(), k, c)];
                             return part;
                           }));
      };
      for_each_shared(lane, mine, over_warps, f);
    } else {
      const auto own = [&](int c, int k) {
        Summed sum = static_cast<Summed>(mine.sum[k].at[c][0]);
        if (mine.folded) sum += totals_of(lane)[total_slot(threads, lane.rank(), k, c)];
        return sum_of_ways(lane, sum);
      };
      for_each_own(lane, mine, own, f);
    }
  }

  template <class Lane>
  RIDGE_DEVICE void finish(Lane& lane, Mine& mine, int my_block, int my_part) const {
    if (plan.shares) {
      store_totals(lane, mine);
      lane.barrier();
    }
    if (plan.split == 1) {
      for_each_sum(lane, mine,
                   [&](Index i, int c, Summed sum) { lane.store(call.sums[c], i, sum); });
    } else if (plan.combine == Combine::ordered) {
      wait_for_turn(lane, plan.counters, my_block, my_part);
      for_each_sum(lane, mine, [&](Index i, int c, Summed sum) {
        const Summed before = my_part == 0 ? Summed{0} : lane.load_relaxed(call.sums[c], i);
        lane.store(call.sums[c], i, before + sum);
      });
      end_turn(lane, plan.counters, my_block, my_part, plan.split);
    } else {
      finish_last(lane, mine, my_block, my_part);
    }
  }

private:
  /// Every block stores its part; the last one adds them up, always in the same order.
  template <class Lane>
  RIDGE_DEVICE void finish_last(Lane& lane, const Mine& mine, int my_block, int my_part) const {
    const Index count = call.targets[0].size;
    const auto slot = [&](int p, int c, Index i) { return (Index{p} * I::sums + c) * count + i; };
    for_each_sum(lane, mine, [&](Index i, int c, Summed sum) {
      lane.store(partial, slot(my_part, c, i), sum);
    });
    lane.fence();
    lane.barrier();
    const auto arrived = lane.template shared<int>(0, 1);
    if (lane.rank() == 0) {
      const unsigned before = lane.atomic_add(plan.counters, my_block, 1u);
      if (before + 1 == static_cast<unsigned>(plan.split)) {
        lane.atomic_add(plan.counters, my_block, 0u - static_cast<unsigned>(plan.split));
      }
      lane.fence();
      arrived[0] = static_cast<int>(before);
    }
    lane.barrier();
    const int before = arrived[0];
    if (before + 1 < plan.split) return;
    const auto none = [](int /*c*/, int /*k*/) { return Summed{0}; };
    const auto add_parts = [&](Index i, int c, Summed /*none*/) {
      lane.store(call.sums[c], i, batched_sum(plan.split, [&](int p) {
                   return lane.load_relaxed(partial, slot(p, c, i));
                 }));
    };
    if (plan.shares) {
      for_each_shared(lane, mine, none, add_parts);
    } else {
      for_each_own(lane, mine, none, add_parts);
    }
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
