// The walk over a tree on a GPU: a warp for each group of targets.
//
// The lanes test as many nodes at a time. Children of those that are too near go on a stack in
// shared memory, nodes that are far and bodies of leaves go on lists; a list that has one for each
// lane is loaded into a tile, from which all lanes take it for the targets that they keep in
// registers. Nothing depends on which warp walks for which group, so the bits do not either.
//
// A group in thin surroundings may span dense ones and meet all that is there. One that has cost
// too much is given up, and walked for again in small parts, whose targets several lanes share.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/device/warp.hpp>
#include <ridge/pairs/gpu/bodies.hpp>
#include <ridge/pairs/gpu/tree_ends.hpp>
#include <ridge/pairs/gpu/tree_sources.hpp>
#include <ridge/pairs/tree_walk.hpp>
#include <ridge/spatial/items.hpp>

// Loops over a tile are left alone by nvcc; clang unrolls them for AMD GPUs until registers spill.
#if defined(RIDGE_TARGET_CUDA)
#define RIDGE_LOOP_OF_TILE
#else
#define RIDGE_LOOP_OF_TILE RIDGE_NO_UNROLL
#endif

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

inline constexpr int walk_warps = 4; ///< of a block

/// Lanes that share a target of a part of a group that was cut.
inline constexpr int walk_ways = 8;

template <class P, int Order, int Tile, int Ways>
struct WalkGroups {
  using T = typename P::Computed;
  using S = typename P::Stored;
  using Summed = typename P::Summed;
  using Far = FarOf<Order>;
  using BodyTile = SharedBodies<P, 4>;
  using NodeTile = SharedBodies<P, Far::sources>;
  static constexpr bool folds = !std::is_same_v<T, Summed>;

#if defined(RIDGE_TARGET_CUDA)
  static constexpr int most_width = 32;
  // Measured on an H100, to order 3.
  static constexpr int blocks_of_floats = Order >= 4 ? 4 : folds || Order == 3 ? 5 : 6;
  static constexpr int nodes_together = 2;
  static constexpr bool reads_anew = false;
#else
  static constexpr int most_width = 64;
  static constexpr int blocks_of_floats = Order >= 4 ? 4 : 5;
  // Two nodes with moments of such orders take more than a lane's 256 vector registers.
  static constexpr int nodes_together = Order >= 4 ? 1 : 2;
  // In double precision those of one node, too, beside two targets' intermediate results.
  static constexpr bool reads_anew = Order >= 4 && sizeof(T) == 8;
#endif
  static constexpr int max_threads = walk_warps * most_width;
  static constexpr int min_blocks = sizeof(T) == 4 ? blocks_of_floats : Order >= 4 ? 2 : 3;
  static constexpr const char* name = "tree walk";

  /// Nodes of a warp's stack. Taking one node adds at most seven: below `kept` from its end they
  /// are taken one by one, and the deepest path fits, with nodes above those of 8^4 ranks.
  static constexpr int stack = 768, kept = 8 * (spatial::most_levels + 6);

  TreeWalk<P> w;
  int groups; ///< from the first one on
  /// Of Ways > 1: targets of a group that was cut, in parts of width / Ways.
  int cut_targets = 0;

  static constexpr int stack_bytes = stack * 4;
  static constexpr int list_bytes(int width) {
    return 2 * width * 4;
  }
  static constexpr int tile_bytes(int width) {
    return width * (NodeTile::bytes > BodyTile::bytes ? NodeTile::bytes : BodyTile::bytes);
  }
  static constexpr int warp_bytes(int width) {
    return stack_bytes + 2 * list_bytes(width) + tile_bytes(width);
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    constexpr int counter = Ways == 1 ? 0 : 2;
    const int parts = Ways == 1 ? 1 : cut_targets / (lane.width() / Ways);
    const Index all = Ways == 1 ? Index{groups} : Index{parts} * lane.load_written(w.next, 1);
    const std::uint32_t most = Ways == 1 ? lane.load(w.limit, 0) : no_limit;
    for (;;) {
      unsigned item = 0;
      if (lane.lane() == 0) item = lane.atomic_add(w.next, counter, 1u);
      item = lane.shuffle(item, 0);
      if (Index{item} >= all) return;
      if constexpr (Ways == 1) {
        const auto group = static_cast<int>(w.turns.size != 0 ? Index{lane.load(w.turns, item)}
                                                              : w.first_group + Index{item});
        walk_for(lane, group, Index{group} * Tile * lane.width(), most);
      } else {
        const auto group = static_cast<int>(lane.load(w.cut, item / static_cast<unsigned>(parts)));
        const int part = static_cast<int>(item % static_cast<unsigned>(parts));
        const Index first = Index{group} * cut_targets + part * (lane.width() / Ways);
        if (first < w.tree.count) walk_for(lane, group, first, most);
      }
    }
  }

private:
  /// Parts of a group, where it ends sooner.
  enum class Part { all, first, later };
  /// What a lane keeps of its targets.
  struct Mine {
    Index first, last;
    S origin[3];
    Body<P, 3> target[Tile];
    Body<P, 4> sum[Tile];
    Summed total[folds ? Tile : 1][4];
    int unfolded = 0;
  };
  using Group = TargetGroup<T>;

  /// Targets of a lane are as far apart.
  template <class Lane>
  static RIDGE_DEVICE int stride(const Lane& lane) {
    return lane.width() / Ways;
  }
  template <class Lane>
  static RIDGE_DEVICE Index own_of(const Lane& lane, const Mine& mine, int k) {
    return mine.first + lane.lane() % stride(lane) + k * stride(lane);
  }
  template <class Lane>
  RIDGE_DEVICE int base(const Lane& lane) const {
    return lane.rank() / lane.width() * warp_bytes(lane.width());
  }
  template <class Lane>
  RIDGE_DEVICE auto stack_of(const Lane& lane) const {
    return lane.template shared<std::uint32_t>(base(lane), stack);
  }
  template <class Lane>
  RIDGE_DEVICE auto nodes_of(const Lane& lane) const {
    return lane.template shared<std::uint32_t>(base(lane) + stack_bytes, 2 * lane.width());
  }
  template <class Lane>
  RIDGE_DEVICE auto bodies_of(const Lane& lane) const {
    return lane.template shared<std::uint32_t>(base(lane) + stack_bytes + list_bytes(lane.width()),
                                               2 * lane.width());
  }
  template <class Lane>
  RIDGE_DEVICE auto tile_of(const Lane& lane) const {
    const int width = lane.width();
    return lane.template shared<T>(base(lane) + stack_bytes + 2 * list_bytes(width),
                                   tile_bytes(width) / static_cast<int>(sizeof(T)));
  }

  /// The targets from `first` on, in one walk but where mixed precision ends it sooner.
  template <class Lane>
  RIDGE_DEVICE void walk_for(Lane& lane, int number, Index first, std::uint32_t most) const {
    const Index across = Index{Tile} * stride(lane);
    const Index end = first + across < w.tree.count ? first + across : w.tree.count;
    if constexpr (folds) {
      for (Index from = first; from < end;) {
        const Index last = tight_end<Tile>(lane, w, first, end, from, stride(lane));
        const Part part = last - from == end - first ? Part::all
                          : from == first            ? Part::first
                                                     : Part::later;
        if (!walk(lane, number, from, last, most, part)) return;
        from = last;
      }
    } else {
      (void)walk(lane, number, first, end, most, Part::all);
    }
  }

  template <class Lane>
  RIDGE_DEVICE void begin(const Lane& lane, Index first, Index last, Mine& mine,
                          Group& group) const {
    mine.first = first;
    mine.last = last;
    const auto at = spatial::load_four(lane, w.tree.sorted, 4 * mine.first);
    for (int c = 0; c < 3; ++c)
      mine.origin[c] = folds ? at.at[c] : S(0);
    constexpr T most = std::numeric_limits<T>::max();
    for (int c = 0; c < 3; ++c) {
      group.low[c] = most;
      group.high[c] = -most;
    }
    T need = 0;
    RIDGE_UNROLL
    for (int k = 0; k < Tile; ++k) {
      const Index own = own_of(lane, mine, k);
      const Index i = own < mine.last ? own : mine.last - 1;
      const auto body = spatial::load_four(lane, w.tree.sorted, 4 * i);
      RIDGE_UNROLL
      for (int c = 0; c < 3; ++c) {
        const T x = static_cast<T>(body.at[c] - mine.origin[c]);
        mine.target[k].at[c] = Value<P>(x);
        if (x < group.low[c]) group.low[c] = x;
        if (x > group.high[c]) group.high[c] = x;
      }
      RIDGE_UNROLL
      for (int c = 0; c < 4; ++c) {
        mine.sum[k].at[c] = Value<P>(T(0));
        if constexpr (folds) mine.total[k][c] = 0;
      }
      if (w.alpha > 0) {
        const T own_need = lane.load(w.needs, lane.load(w.tree.sorted_order, i));
        if (own_need > need) need = own_need;
      }
    }
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c) {
      group.low[c] = warp_min(lane, group.low[c]);
      group.high[c] = warp_max(lane, group.high[c]);
    }
    const T theta = static_cast<T>(w.theta);
    group.cap = std::numeric_limits<T>::infinity();
    if (w.alpha > 0) {
      group.need = warp_max(lane, need);
      group.cap = 16 / (theta * theta);
    }
  }

  /// False: the group is given up.
  template <class Lane>
  RIDGE_DEVICE bool walk(Lane& lane, int number, Index first, Index last, std::uint32_t most,
                         Part part) const {
    Mine mine;
    Group group;
    begin(lane, first, last, mine, group);
    const int width = lane.width();
    const int me = lane.lane();
    const auto waiting = stack_of(lane);
    const auto nodes = nodes_of(lane);
    const auto bodies = bodies_of(lane);
    int top = 1, far_nodes = 0, near_bodies = 0;
    std::uint32_t met_nodes = 0, met_bodies = 0;
    if (me == 0) waiting[0] = 0;
    lane.warp_barrier();
    while (top > 0) {
      if (Ways == 1 && cost_of_body * met_bodies + cost_of_node(Order) * met_nodes > most) {
        give_up(lane, number);
        return false;
      }
      int taken = (stack - kept - top) / 7;
      taken = taken < 1 ? 1 : taken;
      taken = taken < width ? taken : width;
      taken = taken < top ? taken : top;
      top -= taken;
      const bool tests = me < taken;
      std::uint32_t node = 0;
      if (tests) node = waiting[top + me];
      std::uint32_t link = 0, parts = 0;
      bool far = false, leaf = false, opens = false;
      if (tests) {
        const auto centre = spatial::load_four(lane, w.tree.centres, 4 * Index{node});
        const auto radii = spatial::load_four(lane, w.tree.moments, 8 * Index{node} + 4);
        link = lane.load(w.tree.links, 2 * Index{node});
        parts = lane.load(w.tree.links, 2 * Index{node} + 1);
        const T scale = folds && part != Part::all ? w.least_of_parts : T(1);
        far = group.is_far(mine.origin, centre, radii.at[2], radii.at[3], scale);
        leaf = !far && (parts & spatial::leaf_bit) != 0;
        opens = !far && !leaf;
      }
      lane.warp_barrier(); // all have taken theirs
      // Children, at most eight a node, behind each other.
      const std::uint32_t children = opens ? parts : 0;
      int before = 0, all = 0;
      RIDGE_UNROLL
      for (int bit = 0; bit < 4; ++bit) {
        const LaneMask some = ballot(lane, (children >> bit & 1) != 0);
        before += lanes_before(lane, some) << bit;
        all += popcount(some) << bit;
      }
      RIDGE_UNROLL
      for (std::uint32_t k = 0; k < 8; ++k) { // without a loop that lanes leave apart
        if (k < children) waiting[top + before + static_cast<int>(k)] = link + k;
      }
      top += all;
      const LaneMask distant = ballot(lane, far);
      if (far) nodes[far_nodes + lanes_before(lane, distant)] = node;
      far_nodes += popcount(distant);
      met_nodes += static_cast<std::uint32_t>(popcount(distant));
      lane.warp_barrier();
      if (far_nodes >= width) {
        far_nodes -= width;
        meet_nodes(lane, mine, far_nodes, width);
      }
      for (LaneMask left = ballot(lane, leaf); left != 0; left &= left - 1) {
        const int holder = first_lane(left);
        const auto from = lane.shuffle(link, holder);
        const auto count = static_cast<int>(lane.shuffle(parts, holder) & ~spatial::leaf_bit);
        met_bodies += static_cast<std::uint32_t>(count);
        for (int done = 0; done < count; done += width) {
          const int some = count - done < width ? count - done : width;
          if (me < some) bodies[near_bodies + me] = from + static_cast<std::uint32_t>(done + me);
          near_bodies += some;
          lane.warp_barrier();
          if (near_bodies >= width) {
            near_bodies -= width;
            meet_bodies(lane, mine, near_bodies, width);
          }
        }
      }
    }
    if (far_nodes > 0) meet_nodes(lane, mine, 0, far_nodes);
    if (near_bodies > 0) meet_bodies(lane, mine, 0, near_bodies);
    finish(lane, mine);
    if (me == 0) {
      const auto targets = static_cast<std::uint32_t>(mine.last - mine.first);
      if (Ways == 1 && part != Part::later) {
        lane.store(w.met, 2 * Index{number}, targets * met_bodies);
        lane.store(w.met, 2 * Index{number} + 1, targets * met_nodes);
      } else {
        lane.atomic_add(w.met, 2 * Index{number}, targets * met_bodies);
        lane.atomic_add(w.met, 2 * Index{number} + 1, targets * met_nodes);
      }
    }
    return true;
  }

  template <class Lane>
  RIDGE_DEVICE void give_up(Lane& lane, int number) const {
    lane.warp_barrier(); // all have read what the next group overwrites
    if (lane.lane() != 0) return;
    lane.store(w.met, 2 * Index{number}, 0u);
    lane.store(w.met, 2 * Index{number} + 1, 0u);
    const std::uint32_t place = lane.atomic_add(w.next, 1, 1u);
    lane.store(w.cut, place, static_cast<std::uint32_t>(number));
  }

  /// The last `count` nodes of the list, from `first` on.
  template <class Lane>
  RIDGE_DEVICE void meet_nodes(Lane& lane, Mine& mine, int first, int count) const {
    const auto nodes = nodes_of(lane);
    const auto tile = tile_of(lane);
    const int me = lane.lane();
    if (me < count) {
      NodeTile::put(tile, me, node_source<Order>(lane, w, nodes[first + me], mine.origin));
    }
    lane.warp_barrier();
    meet<Far::sources>(lane, mine, Far{w.softening_squared}, count,
                       [&](int s) { return NodeTile::get(lane, tile, s); });
  }

  template <class Lane>
  RIDGE_DEVICE void meet_bodies(Lane& lane, Mine& mine, int first, int count) const {
    const auto bodies = bodies_of(lane);
    const auto tile = tile_of(lane);
    const int me = lane.lane();
    std::uint32_t body = 0;
    bool own = false;
    if (me < count) {
      body = bodies[first + me];
      own = Index{body} >= mine.first && Index{body} < mine.last;
      BodyTile::put(tile, me, body_source(lane, w, body, mine.origin));
    }
    const LaneMask some_own = ballot(lane, own);
    lane.warp_barrier();
    const Gravity<> interaction{w.softening_squared};
    const auto get = [&](int s) { return BodyTile::get(lane, tile, s); };
    if (some_own == 0) {
      meet<4>(lane, mine, interaction, count, get);
      return;
    }
    const int way = me / stride(lane);
    RIDGE_LOOP_OF_TILE
    for (int turn = 0; turn < count; turn += Ways) {
      const int s = turn + way;
      const Index j = lane.shuffle(body, s < count ? s : 0);
      if (s >= count) continue;
      const Body<P, 4> source = get(s);
      RIDGE_UNROLL
      for (int k = 0; k < Tile; ++k) {
        Body<P, 4> with = mine.sum[k];
        interaction(mine.target[k].at, source.at, with.at);
        if (j != own_of(lane, mine, k)) mine.sum[k] = with;
      }
    }
    fold_after(lane, mine, count);
  }

  /// Nothing is moved across it.
  static RIDGE_DEVICE void keep_order() {
    asm volatile("" ::: "memory");
#if defined(__AMDGCN__)
    __builtin_amdgcn_sched_barrier(0);
#endif
  }

  template <int Sources, class Lane, class I, class Get>
  RIDGE_DEVICE void meet(Lane& lane, Mine& mine, const I& interaction, int count,
                         const Get& get) const {
    constexpr int together = Sources == 4 ? 4 : nodes_together;
    int s = Ways == 1 ? 0 : lane.lane() / stride(lane);
    RIDGE_LOOP_OF_TILE
    for (; s + (together - 1) * Ways < count; s += together * Ways) {
      RIDGE_UNROLL
      for (int u = 0; u < together; ++u) {
        if constexpr (Sources > 4 && reads_anew) { // a node for each target
          RIDGE_UNROLL
          for (int k = 0; k < Tile; ++k) {
            const Body<P, Sources> source = get(s + u * Ways);
            interaction(mine.target[k].at, source.at, mine.sum[k].at);
            keep_order();
          }
          continue;
        }
        const Body<P, Sources> source = get(s + u * Ways);
        RIDGE_UNROLL
        for (int k = 0; k < Tile; ++k)
          interaction(mine.target[k].at, source.at, mine.sum[k].at);
      }
    }
    RIDGE_LOOP_OF_TILE
    for (; s < count; s += Ways) {
      const Body<P, Sources> source = get(s);
      RIDGE_UNROLL
      for (int k = 0; k < Tile; ++k)
        interaction(mine.target[k].at, source.at, mine.sum[k].at);
    }
    fold_after(lane, mine, count);
  }

  /// Sums that are computed in less than they are kept in are added up every few hundred terms. The
  /// tile may be overwritten afterwards.
  template <class Lane>
  RIDGE_DEVICE void fold_after(Lane& lane, Mine& mine, int count) const {
    if constexpr (folds) {
      mine.unfolded += count;
      if (mine.unfolded >= 256) fold(mine);
    }
    lane.warp_barrier();
  }
  RIDGE_DEVICE void fold(Mine& mine) const {
    RIDGE_UNROLL
    for (int k = 0; k < Tile; ++k) {
      RIDGE_UNROLL
      for (int c = 0; c < 4; ++c) {
        mine.total[k][c] += static_cast<Summed>(mine.sum[k].at[c][0]);
        mine.sum[k].at[c] = Value<P>(T(0));
      }
    }
    mine.unfolded = 0;
  }

  /// What the lanes that share a target have, in an order that is always the same.
  template <class Lane>
  RIDGE_DEVICE void add_ways(Lane& lane, Mine& mine, int k, int c) const {
    for (int apart = lane.width() / 2; apart >= stride(lane); apart /= 2) {
      if constexpr (folds) {
        mine.total[k][c] += lane.shuffle_xor(mine.total[k][c], apart);
      } else {
        mine.sum[k].at[c] += Value<P>(lane.shuffle_xor(mine.sum[k].at[c][0], apart));
      }
    }
  }

  template <class Lane>
  RIDGE_DEVICE void finish(Lane& lane, Mine& mine) const {
    if constexpr (folds) fold(mine);
    if constexpr (Ways > 1) {
      RIDGE_UNROLL
      for (int k = 0; k < Tile; ++k) {
        RIDGE_UNROLL
        for (int c = 0; c < 4; ++c)
          add_ways(lane, mine, k, c);
      }
      if (lane.lane() >= stride(lane)) return;
    }
    RIDGE_UNROLL
    for (int k = 0; k < Tile; ++k) {
      const Index i = own_of(lane, mine, k);
      if (i >= mine.last) continue;
      spatial::Four<Summed> sums;
      RIDGE_UNROLL
      for (int c = 0; c < 4; ++c) {
        Summed sum = folds ? mine.total[folds ? k : 0][c] : Summed(mine.sum[k].at[c][0]);
        if (c < 3) sum *= w.unit_of_length;
        sums.at[c] = sum * w.unit_of_potential;
      }
      if (w.packed.size != 0) {
        spatial::store_four(lane, w.packed, 4 * w.packed_place(i), sums);
        continue;
      }
      const Index to = lane.load(w.tree.sorted_order, i);
      RIDGE_UNROLL
      for (int c = 0; c < 4; ++c)
        lane.store(w.sums[c], to, sums.at[c]);
      for (int other = 0; other < w.count_others; ++other) {
        RIDGE_UNROLL
        for (int c = 0; c < 4; ++c)
          lane.store(w.others[other][c], to, sums.at[c]);
      }
    }
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME

#undef RIDGE_LOOP_OF_TILE
