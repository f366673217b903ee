// Compiled once per device kind: units of bodies in and out of messages.
#include <ridge/device/offer.hpp>

#include "units.hpp"

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch.hpp>
#endif

#include <algorithm>

namespace ridge::md {

namespace sharing::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)

template <class T>
void copy_units(Queue& /*queue*/, const UnitCopy<T>& c) {
  constexpr Index few = 16384; // waking threads takes longer
  const Index units = c.units.size;
  cpu::run(units * c.unit < few ? 1 : cpu::default_threads(), [&](int thread, int team) {
    const cpu::Range mine = cpu::share_of(units, thread, team);
    for (Index n = mine.begin; n < mine.end; ++n) {
      if (c.units.data[n] == no_unit) continue;
      const Index first = Index{c.units.data[n]} * c.unit;
      const Index end = std::min(first + c.unit, c.bodies);
      T* at = c.packed.data + c.places.data[n];
      for (Index slot = first; slot < end; ++slot, at += 3) {
        const Index i = c.body.data[slot];
        for (std::size_t a = 0; a < 3; ++a)
          c.packs ? at[a] = c.values[a].data[i] : c.values[a].data[i] = at[a];
      }
    }
  });
}

void mark_units(Queue& /*queue*/, const UnitMarks& m) {
  const pairs::ListData& l = m.lists;
  const int team = l.bodies < 16384 ? 1 : cpu::default_threads();
  cpu::run(team, [&](int thread, int threads) {
    const cpu::Range mine = cpu::share_of(l.bodies, thread, threads);
    for (Index slot = mine.begin; slot < mine.end; ++slot)
      m.home.data[l.body.data[slot]] = static_cast<unsigned>(slot);
  });
  for (Index e = 0; e < l.entries.size; ++e) {
    const Index slot = l.entries.data[e];
    const Index home = slot < l.bodies ? slot : Index{m.home.data[l.body.data[slot]]};
    if (home < l.first_slot || home >= l.end_slot) m.marks.data[home / l.unit] = 1;
  }
}

#else

template <class T>
struct CopyUnit {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "units of bodies in messages";
  UnitCopy<T> c;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index item = Index{lane.block().x} * max_threads + lane.rank();
    if (item < c.headers.size) take_header(lane, lane.load(c.headers, item));
    const Index n = item / c.unit;
    if (n >= c.units.size) return;
    const unsigned unit = lane.load(c.units, n);
    const Index within = item % c.unit;
    const Index slot = Index{unit} * c.unit + within;
    if (unit == no_unit || slot >= c.bodies) return;
    const Index i = lane.load(c.body, slot);
    const Index at = lane.load(c.places, n) + 3 * within;
    RIDGE_UNROLL
    for (int a = 0; a < 3; ++a) {
      if (c.packs) {
        lane.store(c.packed, at + a, lane.load_written(c.values[a], i));
      } else {
        lane.store(c.values[a], i, lane.load_written(c.packed, at + a));
      }
    }
  }

private:
  template <class Lane>
  RIDGE_DEVICE void take_header(Lane& lane, Index at) const {
    if (c.packs) {
      lane.store(c.packed, at, lane.load_written(c.moved, 0) != 0 ? T(1) : T(0));
    } else if (lane.load_written(c.packed, at) != T(0)) {
      (void)lane.atomic_add(c.moved, 0, 1U);
    }
  }
};

template <class T>
void copy_units(Queue& queue, const UnitCopy<T>& c) {
  constexpr Index block = CopyUnit<T>::max_threads;
  const Index items = std::max(c.units.size * c.unit, c.headers.size);
  if (items == 0) return;
  const auto blocks = static_cast<int>(ceil_div(items, block));
  launch_body(queue, {{blocks, 1, 1}, {static_cast<int>(block), 1, 1}, 0}, CopyUnit<T>{c});
}

struct FindHomes {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "slots of bodies";
  UnitMarks m;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index slot = Index{lane.block().x} * max_threads + lane.rank();
    if (slot >= m.lists.bodies) return;
    lane.store(m.home, Index{lane.load(m.lists.body, slot)}, static_cast<unsigned>(slot));
  }
};

/// A lane goes through a column of a warp's lists.
struct MarkUnit {
  static constexpr int max_threads = 128;
  static constexpr const char* name = "units in lists";
  UnitMarks m;
  Index most_rows;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const pairs::ListData& l = m.lists;
    const Index warp = (Index{lane.block().x} * lane.block_extent().x + lane.rank()) / lane.width();
    if (warp >= l.row_counts.size) return;
    const int count = static_cast<int>(lane.load(l.row_counts, warp));
    Index at = l.row_begins.size == 0 ? warp * most_rows : Index{lane.load(l.row_begins, warp)};
    at = (at * lane.width() + lane.lane()) * 4;
    for (int row = 0; row < count; ++row, at += Index{4} * lane.width()) {
      const Pack<unsigned, 4> four = lane.template load_pack<4>(l.entries, at);
      RIDGE_UNROLL
      for (int n = 0; n < 4; ++n) {
        const Index slot = four[n];
        if (slot >= l.slots) continue;
        const Index home = slot < l.bodies
                               ? slot
                               : Index{lane.load_written(m.home, Index{lane.load(l.body, slot)})};
        if (home < l.first_slot || home >= l.end_slot) lane.store(m.marks, home / l.unit, 1U);
      }
    }
  }
};

void mark_units(Queue& queue, const UnitMarks& m) {
  const pairs::ListData& l = m.lists;
  const auto blocks_for = [](Index items, int block) {
    return LaunchShape{{static_cast<int>(ceil_div(items, Index{block})), 1, 1}, {block, 1, 1}, 0};
  };
  launch_body(queue, blocks_for(l.bodies, FindHomes::max_threads), FindHomes{m});
  if (l.row_counts.size == 0) return;
  const Index width = queue.device().facts().warp_width;
  launch_body(queue, blocks_for(l.row_counts.size * width, MarkUnit::max_threads),
              MarkUnit{m, l.entries.size / (4 * width * l.row_counts.size)});
}

#endif

const Offer floats(kind_of<Here>, typeid(UnitCopy<float>), &copy_units<float>);
const Offer doubles(kind_of<Here>, typeid(UnitCopy<double>), &copy_units<double>);
const Offer marks(kind_of<Here>, typeid(UnitMarks), &mark_units);

} // namespace sharing::inline RIDGE_TARGET_NAME

} // namespace ridge::md
