// Sorting bodies and their images by cells on GPUs: count, sum, place, rank within the cell.
//
// Slots of a cell are taken in any order, and then ordered by body: the result is the same in every
// run.
#pragma once

#include <ridge/device/launch_items.hpp>
#include <ridge/pairs/lists/engine.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

inline constexpr int item_threads = 256;

template <class T, class Lane>
RIDGE_DEVICE Place place_of(const Lane& lane, const Grid& grid, const Positions<T>& positions,
                            Index body) {
  const T at[3] = {lane.load(positions[0], body), lane.load(positions[1], body),
                   lane.load(positions[2], body)};
  return grid.place(at);
}

/// Words that building lists says how it went by.
struct BuildState {
  static constexpr int bad = 0;      ///< positions that are not finite or not in the box
  static constexpr int overflow = 1; ///< warps whose lists take more rows than there are
  static constexpr int slots = 2;    ///< bodies and images
  static constexpr int wanted = 3;   ///< 0: nothing is built; 2: a body has moved too far
  static constexpr int words = 4;
};

/// Bodies and images of each cell are counted, and positions that are not good.
template <class T>
struct CountInCells {
  static constexpr int max_threads = item_threads;
  static constexpr const char* name = "bodies of cells";
  Grid grid;
  Positions<T> positions;
  Span<unsigned> counts, state;
  Span<unsigned> halt;          ///< ListHalt
  bool only_if_moved;           ///< else always
  std::array<Span<T>, 3> built; ///< the positions, kept

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = item_of<CountInCells>(lane);
    if (i >= positions[0].size) return;
    if (only_if_moved && lane.load_written(halt, ListHalt::moved) == 0) return;
    if (i == 0) lane.store(state, BuildState::wanted, only_if_moved ? 2U : 1U);
    RIDGE_UNROLL
    for (int a = 0; a < 3; ++a)
      lane.store(built[a], i, lane.load(positions[a], i));
    const Place at = place_of(lane, grid, positions, i);
    if (!at.is_good) {
      (void)lane.atomic_add(state, BuildState::bad, 1U);
      return;
    }
    grid.for_each_image(
        at, [&](unsigned cell, unsigned) { (void)lane.atomic_add(counts, Index{cell}, 1U); });
  }
};

/// Each takes a slot of its cell.
template <class T>
struct TakeSlots {
  static constexpr int max_threads = item_threads;
  static constexpr const char* name = "slots of bodies";
  Grid grid;
  Positions<T> positions;
  Span<const unsigned> begins, state;
  Span<unsigned> taken; ///< of each cell; 0 before
  Span<unsigned> body, shift, cell;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = item_of<TakeSlots>(lane);
    if (i >= positions[0].size || lane.load(state, BuildState::wanted) == 0) return;
    const Place at = place_of(lane, grid, positions, i);
    if (!at.is_good) return; // nothing of these lists will be used
    grid.for_each_image(at, [&](unsigned number, unsigned code) {
      const Index slot =
          Index{lane.load(begins, Index{number})} + lane.atomic_add(taken, Index{number}, 1U);
      if (slot >= body.size) return; // neither
      lane.store(body, slot, static_cast<unsigned>(i));
      lane.store(shift, slot, code);
      lane.store(cell, slot, number);
    });
  }
};

/// Within cells slots are ordered by body and image, and get their positions relative to the grid's
/// corner, four numbers each, as lists are built of them. Those at the end have no body. Halts end
/// here.
template <class T>
struct RankInCells {
  static constexpr int max_threads = item_threads;
  static constexpr const char* name = "order within cells";
  Grid grid;
  Positions<T> positions;
  Span<const unsigned> begins; ///< of cells, and where the last ends
  Span<const unsigned> taken_body, taken_shift, cell;
  Span<unsigned> body, shift, state, halt;
  Span<float> placed;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index slot = item_of<RankInCells>(lane);
    if (slot >= body.size) return;
    const unsigned wanted = lane.load_written(state, BuildState::wanted);
    if (wanted == 0) return;
    const Index all = lane.load(begins, begins.size - 1);
    if (slot == 0) {
      lane.store(state, BuildState::slots, static_cast<unsigned>(all));
      if (all <= body.size && lane.load_written(state, BuildState::bad) == 0)
        end_halt(lane, wanted == 2);
    }
    if (all > body.size) return; // nothing of these lists will be used
    if (slot >= all) {
      lane.store(body, slot, no_body);
      return;
    }
    const Index number = lane.load(cell, slot);
    const Index begin = lane.load(begins, number);
    const Index end = lane.load(begins, number + 1);
    const unsigned my_body = lane.load(taken_body, slot);
    const unsigned my_shift = lane.load(taken_shift, slot);
    Index rank = begin;
    for (Index other = begin; other < end; ++other) {
      const unsigned its = lane.load(taken_body, other);
      if (its < my_body || (its == my_body && lane.load(taken_shift, other) < my_shift)) ++rank;
    }
    lane.store(body, rank, my_body);
    lane.store(shift, rank, my_shift);
    Pack<float, 4> at;
    RIDGE_UNROLL
    for (int a = 0; a < 3; ++a) {
      const T moved = lane.load(positions[a], Index{my_body}) - static_cast<T>(grid.low[a]) +
                      static_cast<T>(shift_of(my_shift, a)) * static_cast<T>(grid.length[a]);
      at.set(a, static_cast<float>(moved));
    }
    at.set(3, 0.0F);
    lane.store(placed, 4 * rank, at);
  }

private:
  template <class Lane>
  RIDGE_DEVICE void end_halt(Lane& lane, bool counts) const {
    lane.store(halt, ListHalt::moved, 0U);
    lane.store(halt, ListHalt::halted, 0U);
    const unsigned before = lane.load_written(halt, ListHalt::builds);
    if (counts) lane.store(halt, ListHalt::builds, before + 1);
  }
};

/// The least and the greatest coordinates of each block's share of the bodies: six values each.
template <class T>
struct FindBounds {
  static constexpr int max_threads = item_threads;
  static constexpr const char* name = "bounds of bodies";
  static constexpr int blocks = 128;
  Positions<T> positions;
  Span<T> bounds;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const auto shared = lane.template shared<T>(0, item_threads);
    for (int a = 0; a < 3; ++a) {
      const T start = lane.load(positions[a], 0);
      T least = start;
      T most = start;
      for (Index i = item_of<FindBounds>(lane); i < positions[a].size;
           i += Index{blocks} * item_threads) {
        const T at = lane.load(positions[a], i);
        least = at < least ? at : least;
        most = at > most ? at : most;
      }
      put(lane, shared, least, 6 * lane.block().x + a, [](T x, T y) { return x < y ? x : y; });
      put(lane, shared, most, 6 * lane.block().x + 3 + a, [](T x, T y) { return x > y ? x : y; });
    }
  }

private:
  template <class Lane, class Shared, class Better>
  RIDGE_DEVICE void put(Lane& lane, const Shared& shared, T mine, Index to,
                        const Better& better) const {
    shared[lane.rank()] = mine;
    lane.barrier();
    for (int step = item_threads / 2; step > 0; step /= 2) {
      if (lane.rank() < step) {
        const T other = shared[lane.rank() + step];
        mine = better(mine, other);
        shared[lane.rank()] = mine;
      }
      lane.barrier();
    }
    if (lane.rank() == 0) lane.store(bounds, to, mine);
    lane.barrier();
  }
};

/// Counts bodies that are farther from where they were than half of the skin.
template <class T>
struct FindMoved {
  static constexpr int max_threads = item_threads;
  static constexpr const char* name = "bodies that moved";
  Positions<T> positions, built;
  T limit_squared;
  Span<unsigned> moved;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index i = item_of<FindMoved>(lane);
    if (i >= positions[0].size) return;
    T squared = 0;
    RIDGE_UNROLL
    for (int a = 0; a < 3; ++a) {
      const T d = lane.load(positions[a], i) - lane.load(built[a], i);
      squared += d * d;
    }
    if (!(squared <= limit_squared)) (void)lane.atomic_add(moved, 0, 1U); // also NaN
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
