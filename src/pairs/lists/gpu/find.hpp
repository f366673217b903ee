// Finding the lists of a warp's groups on GPUs.
//
// The warp draws a box round its bodies and visits the cells that are near it. Bodies of these near
// the box are candidates: they gather in shared memory, and each lane looks which of 32 are near
// its own. Lists are counted in one run and written in another, or written at once where as many
// rows for each warp as were enough before are enough again.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/device/warp.hpp>
#include <ridge/pairs/lists/engine.hpp>

#include "sort.hpp"

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

RIDGE_DEVICE int lowest_bit(unsigned bits) {
#if defined(RIDGE_TARGET_CUDA)
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

/// How many lanes before this one say so, and in `all` how many of the warp do.
template <class Lane>
RIDGE_DEVICE int lanes_before(const Lane& lane, bool says, int& all) {
#if defined(RIDGE_TARGET_CUDA)
  const unsigned votes = __ballot_sync(~0U, says);
  all = __popc(votes);
  return __popc(votes & ((1U << static_cast<unsigned>(lane.lane())) - 1U));
#elif defined(RIDGE_TARGET_HIP)
  const unsigned long long votes = __ballot(says);
  all = __popcll(votes);
  return __popcll(votes & ((1ULL << static_cast<unsigned>(lane.lane())) - 1ULL));
#else
  int upto = says ? 1 : 0;
  for (int step = 1; step < lane.width(); step *= 2) {
    const int source = lane.lane() >= step ? lane.lane() - step : lane.lane();
    const int before = lane.shuffle(upto, source);
    if (lane.lane() >= step) upto += before;
  }
  all = lane.shuffle(upto, lane.width() - 1);
  return upto - (says ? 1 : 0);
#endif
}

template <int Share>
struct FindNear {
  static constexpr int max_threads = 128;
  static constexpr int min_blocks = Share == 2 ? 8 : 0; // 64 registers
  static constexpr const char* name = "lists of near bodies";
  static constexpr int batch = 32;      ///< candidates that are looked at together
  static constexpr int most_width = 64; ///< of warps
  static constexpr int room = batch + most_width;
  static constexpr int most_held = 16; ///< batches whose near ones are then written together

  Grid grid;
  Index first_slot, end_slot; ///< of the bodies that have lists
  float reach;
  Span<const unsigned> begins;     ///< of cells
  Span<const float> placed;        ///< of slots
  Span<const unsigned> row_begins; ///< of parts; empty: `most_rows` for each
  Span<unsigned> row_counts;       ///< of parts: what its longest list takes, written
  Span<unsigned> entries;          ///< empty: lists are only counted
  unsigned filler;
  unsigned most_rows;      ///< for a part; what is beyond is not written
  int ways;                ///< ListData: parts of a warp's lists
  Span<unsigned> state;    ///< BuildState
  Span<unsigned> halt;     ///< ListHalt: launches stop where rows are too few
  Span<unsigned> may_meet; ///< ListData, written

  /// Of a warp: the tile, its slots, those of batches that are held, and which of them are near.
  static RIDGE_FN int warp_bytes(int width) { return room * 20 + most_held * (batch + width) * 4; }
  static int shared_bytes(int threads, int width) { return threads / width * warp_bytes(width); }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int width = lane.width();
    const int warps = lane.block_extent().x / width;
    const int warp_here = lane.rank() / width;
    const Index part = Index{lane.block().x} * warps + warp_here;
    const Index warp = part / ways;
    const Index first = first_slot + (warp * width + lane.lane()) * Share;
    if (first_slot + warp * width * Share >= end_slot) return; // the whole warp
    // Too many slots, or bodies that are nowhere: nothing of these lists will be used.
    if (Index{lane.load(begins, begins.size - 1)} > Index{filler}) return;
    if (lane.load_written(state, BuildState::bad) != 0) return;
    if (lane.load_written(state, BuildState::wanted) == 0) return;
    Search<Lane> search{
        *this,
        lane,
        static_cast<int>(part),
        static_cast<int>(first),
        lane.template shared<float>(warp_here * warp_bytes(width), room * 4),
        lane.template shared<unsigned>(warp_here * warp_bytes(width) + room * 16, room),
        lane.template shared<unsigned>(warp_here * warp_bytes(width) + room * 20,
                                       most_held * batch),
        lane.template shared<unsigned>(
            warp_here * warp_bytes(width) + room * 20 + most_held * batch * 4, most_held * width)};
    search.run();
  }

private:
  template <class Lane>
  struct Search {
    using Floats = decltype(std::declval<Lane&>().template shared<float>(0, 0));
    using Slots = decltype(std::declval<Lane&>().template shared<unsigned>(0, 0));
    const FindNear& f;
    Lane& lane;
    int part, first;
    Floats tile;     ///< of candidates: from the middle of the box, and the square of that
    Slots tile_slot; ///< and their slots
    Slots held_slot; ///< those of batches that were looked at
    Slots held_near; ///< and which of them are near a lane's bodies, a bit each
    float low[3] = {}, high[3] = {}, middle[3] = {}; ///< of the box round the bodies
    float own[Share][3] = {};                        ///< from the middle; if close, times -2
    /// A candidate is near if its square and its product with `own` are together less than this.
    float limit[Share] = {};
    bool close = true; ///< the box is small enough for that to be exact
    unsigned found = 0;
    unsigned pending[3] = {}; ///< the last entries
    int waiting = 0;          ///< candidates in the tile
    int held = 0;             ///< batches
    bool counts = false;
    bool meets = false; ///< cells with slots of others
    Index row_begin = 0;

    RIDGE_DEVICE void run() {
      counts = f.entries.size == 0;
      if (!counts) {
        row_begin = f.row_begins.size == 0 ? part * Index{f.most_rows}
                                           : Index{lane.load(f.row_begins, part)};
      }
      draw_box();
      int from[3], extent[3];
      int cells = 1;
      RIDGE_UNROLL
      for (int a = 0; a < 3; ++a) {
        from[a] = f.grid.first_cell(a, low[a] - f.reach);
        extent[a] = f.grid.last_cell(a, high[a] + f.reach) - from[a] + 1;
        cells *= extent[a];
      }
      for (int c = part % f.ways * lane.width(); c < cells; c += f.ways * lane.width())
        visit_cells(from, extent, c + lane.lane(), cells);
      if (waiting > 0) look_from(0, waiting);
      write_held();
      finish();
    }

    RIDGE_DEVICE void draw_box() {
      RIDGE_UNROLL
      for (int k = 0; k < Share; ++k) {
        const Index slot = first + k < f.end_slot ? Index{first} + k : f.end_slot - 1;
        const auto at = lane.template load_pack<4>(f.placed, 4 * slot);
        RIDGE_UNROLL
        for (int a = 0; a < 3; ++a) {
          own[k][a] = at[a];
          low[a] = k == 0 || at[a] < low[a] ? at[a] : low[a];
          high[a] = k == 0 || at[a] > high[a] ? at[a] : high[a];
        }
      }
      for (int mask = lane.width() / 2; mask > 0; mask /= 2) {
        RIDGE_UNROLL
        for (int a = 0; a < 3; ++a) {
          const float other_low = lane.shuffle_xor(low[a], mask);
          const float other_high = lane.shuffle_xor(high[a], mask);
          low[a] = other_low < low[a] ? other_low : low[a];
          high[a] = other_high > high[a] ? other_high : high[a];
        }
      }
      const float squared = f.reach * f.reach;
      float farthest = 0; // from the middle to a candidate, squared
      RIDGE_UNROLL
      for (int a = 0; a < 3; ++a) {
        middle[a] = 0.5F * (low[a] + high[a]);
        const float half = 0.5F * (high[a] - low[a]) + f.reach;
        farthest += half * half;
      }
      close = farthest < 64 * squared;
      // What sums of squares are rounded by is at most 16 times the unit roundoff of the largest.
      const float margin = farthest * 0x1p-19F;
      RIDGE_UNROLL
      for (int k = 0; k < Share; ++k) {
        limit[k] = squared + margin;
        RIDGE_UNROLL
        for (int a = 0; a < 3; ++a) {
          own[k][a] -= middle[a];
          limit[k] -= own[k][a] * own[k][a];
          if (close) own[k][a] *= -2.0F;
        }
      }
    }

    /// Each lane has a cell, the `c`-th of those round the box; then each a body of one of them.
    RIDGE_DEVICE void visit_cells(const int (&from)[3], const int (&extent)[3], int c, int cells) {
      int begin = 0;
      int count = 0;
      if (c < cells) {
        const auto x = static_cast<unsigned>(extent[0]);
        const auto y = static_cast<unsigned>(extent[1]);
        const unsigned row = static_cast<unsigned>(c) / x;
        const unsigned layer = row / y;
        const int at[3] = {static_cast<int>(static_cast<unsigned>(c) - row * x) + from[0],
                           static_cast<int>(row - layer * y) + from[1],
                           static_cast<int>(layer) + from[2]};
        float squared = 0;
        RIDGE_UNROLL
        for (int a = 0; a < 3; ++a) {
          // How far the cell is from the box.
          const float side = 1.0F / static_cast<float>(f.grid.inverse_side[a]);
          const float below = low[a] - static_cast<float>(at[a] + 1) * side;
          const float above = static_cast<float>(at[a]) * side - high[a];
          const float away = below > above ? below : above;
          squared += away > 0 ? away * away : 0;
        }
        if (squared <= f.reach * f.reach) {
          const Index number = f.grid.number_of(at[0], at[1], at[2]);
          begin = static_cast<int>(lane.load(f.begins, number));
          count = static_cast<int>(lane.load(f.begins, number + 1)) - begin;
          meets = meets || (count > 0 && (begin < f.first_slot || begin + count > f.end_slot));
        }
      }
      int upto = count; // bodies of this lane's cell and those before
      for (int step = 1; step < lane.width(); step *= 2) {
        const int other = lane.shuffle(upto, lane.lane() >= step ? lane.lane() - step : 0);
        if (lane.lane() >= step) upto += other;
      }
      const int all = lane.shuffle(upto, lane.width() - 1);
      begin -= upto - count; // of which the number of a body is taken
      for (int n = lane.lane(); n - lane.lane() < all; n += lane.width()) {
        int owner = 0; // the first lane whose cell ends after the n-th body
        for (int step = lane.width() / 2; step > 0; step /= 2) {
          const int before = lane.shuffle(upto, owner + step - 1);
          if (before <= n) owner += step;
        }
        const int slot = lane.shuffle(begin, owner) + n;
        gather(n < all, slot);
      }
    }

    /// Takes a slot of each lane that has one into the tile, if it is near the box.
    RIDGE_DEVICE void gather(bool has, int slot) {
      float at[3] = {};
      if (has) {
        const auto loaded = lane.template load_pack<4>(f.placed, 4 * Index{slot});
        float squared = 0;
        RIDGE_UNROLL
        for (int a = 0; a < 3; ++a) {
          at[a] = loaded[a];
          const float below = low[a] - at[a];
          const float above = at[a] - high[a];
          const float away = below > above ? below : above;
          squared += away > 0 ? away * away : 0;
        }
        has = squared < f.reach * f.reach;
      }
      int all = 0;
      const int before = lanes_before(lane, has, all);
      if (has) {
        const int to = waiting + before;
        float squared = 0;
        RIDGE_UNROLL
        for (int a = 0; a < 3; ++a) {
          const float d = at[a] - middle[a];
          tile[4 * to + a] = d;
          squared += d * d;
        }
        tile[4 * to + 3] = squared;
        tile_slot[to] = static_cast<unsigned>(slot);
      }
      waiting += all;
      while (waiting >= batch) {
        waiting -= batch;
        look_from(waiting, batch);
      }
    }

    /// Looks at candidates of the tile.
    RIDGE_DEVICE void look_from(int begin, int count) {
      for (int j = lane.lane(); j < batch; j += lane.width()) {
        if (j < count) continue;
        RIDGE_UNROLL
        for (int a = 0; a < 4; ++a) // far away
          tile[4 * (begin + j) + a] = a < 3 ? 0.0F : 1e30F;
      }
      lane.warp_barrier();
      held_near[held * lane.width() + lane.lane()] =
          close ? near_middle(begin) : near_anywhere(begin, count);
      for (int j = lane.lane(); j < count; j += lane.width()) {
        const unsigned slot = tile_slot[begin + j];
        held_slot[held * batch + j] = slot;
      }
      lane.warp_barrier();
      if (++held == most_held) write_held();
    }

    /// Near ones of a lane follow each other in space: lanes that wait for the one with most of
    /// them in a batch wait less for the one with most in many batches.
    RIDGE_DEVICE void write_held() {
      const auto mine = static_cast<unsigned>(first);
      unsigned near = 0;
      for (int b = -1; b < held;) {
        if (near == 0) {
          if (++b < held) near = held_near[b * lane.width() + lane.lane()];
          continue;
        }
        const int j = lowest_bit(near);
        near &= near - 1;
        const unsigned slot = held_slot[b * batch + j];
        if (slot - mine < unsigned{Share}) continue; // its own
        if (!counts) append(slot);
        ++found;
      }
      held = 0;
      lane.warp_barrier();
    }

    /// Of a whole batch, by |b|^2 - 2 a b < reach^2 - |a|^2.
    RIDGE_DEVICE unsigned near_middle(int begin) {
      unsigned near = 0;
      RIDGE_UNROLL
      for (int j = 0; j < batch; ++j) {
        const auto at = lane.template load_shared_pack<4>(tile, 4 * (begin + j));
        bool is_near = false;
        RIDGE_UNROLL
        for (int k = 0; k < Share; ++k) {
          const float sum = own[k][0] * at[0] + (own[k][1] * at[1] + (own[k][2] * at[2] + at[3]));
          is_near = is_near || sum < limit[k];
        }
        near |= is_near ? 1U << static_cast<unsigned>(j) : 0U;
      }
      return near;
    }
    /// Bodies of a large box: by differences.
    RIDGE_DEVICE unsigned near_anywhere(int begin, int count) {
      unsigned near = 0;
      const float squared = f.reach * f.reach;
      for (int j = 0; j < count; ++j) {
        const auto at = lane.template load_shared_pack<4>(tile, 4 * (begin + j));
        bool is_near = false;
        RIDGE_UNROLL
        for (int k = 0; k < Share; ++k) {
          const float x = own[k][0] - at[0];
          const float y = own[k][1] - at[1];
          const float z = own[k][2] - at[2];
          is_near = is_near || x * x + y * y + z * z < squared;
        }
        near |= is_near ? 1U << static_cast<unsigned>(j) : 0U;
      }
      return near;
    }

    RIDGE_DEVICE void append(unsigned slot) {
      if (found % 4 == 3) write_row(found / 4, pending[0], pending[1], pending[2], slot);
      pending[0] = pending[1];
      pending[1] = pending[2];
      pending[2] = slot;
    }
    RIDGE_DEVICE void write_row(unsigned row, unsigned a, unsigned b, unsigned c, unsigned d) {
      if (row >= f.most_rows) return;
      Pack<unsigned, 4> four;
      four.set(0, a);
      four.set(1, b);
      four.set(2, c);
      four.set(3, d);
      lane.store(f.entries, ((row_begin + row) * lane.width() + lane.lane()) * 4, four);
    }

    RIDGE_DEVICE void finish() {
      unsigned mine = (found + 3) / 4;
      unsigned most = mine;
      for (int mask = lane.width() / 2; mask > 0; mask /= 2) {
        const unsigned other = lane.shuffle_xor(most, mask);
        most = other > most ? other : most;
      }
      const bool some_meet = ballot(lane, meets) != 0;
      if (lane.lane() == 0) {
        lane.store(f.row_counts, part, most);
        lane.store(f.may_meet, part, some_meet ? 1U : 0U);
        if (most > f.most_rows) {
          (void)lane.atomic_add(f.state, BuildState::overflow, 1U);
          const unsigned before = lane.atomic_add(f.halt, ListHalt::moved, 1U);
          // What was counted as a build is none: it has to be done again.
          if (before == 0 && lane.load_written(f.state, BuildState::wanted) == 2)
            (void)lane.atomic_add(f.halt, ListHalt::builds, ~0U);
        }
      }
      if (counts) return;
      if (most > f.most_rows) most = f.most_rows;
      const unsigned none = f.filler;
      const unsigned rest = found % 4;
      if (rest != 0) {
        const unsigned a = rest == 1 ? pending[2] : rest == 2 ? pending[1] : pending[0];
        const unsigned b = rest == 1 ? none : rest == 2 ? pending[2] : pending[1];
        write_row(found / 4, a, b, rest == 3 ? pending[2] : none, none);
      }
      for (; mine < most; ++mine)
        write_row(mine, none, none, none, none);
    }
  };
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
