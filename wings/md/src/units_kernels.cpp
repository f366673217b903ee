// Compiled once per device kind: bodies back into the box, units of bodies in and out of messages.
#include <ridge/device/offer.hpp>

#include "units.hpp"

#if defined(RIDGE_TARGET_CPU)
#include <ridge/device/cpu/parallel.hpp>
#else
#include <ridge/device/launch_items.hpp>
#endif

#include <algorithm>

namespace ridge::md {

namespace sharing::inline RIDGE_TARGET_NAME {

#if defined(RIDGE_TARGET_CPU)

template <class T>
void wrap_bodies(Queue& /*queue*/, const WrapBodies<T>& w) {
  const Index bodies = w.position[0].size;
  cpu::run(bodies < 16384 ? 1 : cpu::default_threads(), [&](int thread, int team) {
    const cpu::Range mine = cpu::share_of(bodies, thread, team, 512);
    for (std::size_t c = 0; c < 3; ++c) {
      for (Index i = mine.begin; i < mine.end; ++i)
        w.images[c].data[i] += wrap(w.position[c].data[i], w.period[c]);
    }
  });
}

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

template <class T>
void copy_all(Queue& /*queue*/, const AllCopy<T>& c) {
  const Index bodies = c.home.size;
  cpu::run(bodies < 16384 ? 1 : cpu::default_threads(), [&](int thread, int team) {
    const cpu::Range mine = cpu::share_of(bodies, thread, team, 512);
    for (Index i = mine.begin; i < mine.end; ++i) {
      const Index slot = c.home.data[i];
      if ((slot >= c.first_slot && slot < c.end_slot) != c.packs) continue;
      T* const at = c.packed.data + 3 * slot;
      for (std::size_t a = 0; a < 3; ++a)
        c.packs ? at[a] = c.values[a].data[i] : c.values[a].data[i] = at[a];
    }
  });
}

void find_units(Queue& /*queue*/, const UnitNeeds& n) {
  const pairs::ListData& l = n.lists;
  for (const Span<unsigned>& words : {n.marks, n.counts, n.messages})
    std::fill_n(words.data, words.size, no_unit);
  const int team = l.bodies < 16384 ? 1 : cpu::default_threads();
  cpu::run(team, [&](int thread, int threads) {
    const cpu::Range mine = cpu::share_of(l.bodies, thread, threads);
    for (Index slot = mine.begin; slot < mine.end; ++slot)
      n.home.data[l.body.data[slot]] = static_cast<unsigned>(slot);
  });
  for (Index e = 0; e < l.entries.size; ++e) {
    const Index slot = l.entries.data[e];
    const Index home = slot < l.bodies ? slot : Index{n.home.data[l.body.data[slot]]};
    if (home < l.first_slot || home >= l.end_slot) n.marks.data[home / l.unit] = 1;
  }
  Index rank = 0;
  for (Index unit = 0; unit < n.marks.size; ++unit) {
    while (unit >= n.first_units.data[rank + 1])
      ++rank;
    if (n.marks.data[unit] == no_unit) continue;
    const Index to = n.begins.data[rank] + 1 + ++n.counts.data[rank];
    if (to < n.begins.data[rank + 1]) n.messages.data[to] = static_cast<unsigned>(unit);
  }
}

void say_units(Queue& /*queue*/, const UnitWords& /*words*/) {}

#else

template <class T>
struct WrapBody {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "bodies back into the box";
  WrapBodies<T> w;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    if (w.halt.size != 0 && lane.load_written(w.halt, pairs::ListHalt::moved) == 0) return;
    const Index i = item_of<WrapBody>(lane);
    if (i >= w.position[0].size) return;
    RIDGE_UNROLL
    for (int c = 0; c < 3; ++c) {
      T x = lane.load_written(w.position[c], i);
      const int periods = wrap(x, w.period[c]);
      if (periods == 0) continue;
      lane.store(w.position[c], i, x);
      lane.store(w.images[c], i, lane.load_written(w.images[c], i) + periods);
    }
  }
};

template <class T>
void wrap_bodies(Queue& queue, const WrapBodies<T>& w) {
  launch_items(queue, w.position[0].size, WrapBody<T>{w});
}

/// Of a unit all of a kind are side by side.
template <class Copy, class Lane>
RIDGE_DEVICE void copy_body(Lane& lane, const Copy& c, Index i, Index first) {
  RIDGE_UNROLL
  for (int a = 0; a < 3; ++a) {
    const Index at = first + a * c.unit;
    if (c.packs) {
      lane.store(c.packed, at, lane.load_written(c.values[a], i));
    } else {
      lane.store(c.values[a], i, lane.load_written(c.packed, at));
    }
  }
}
template <class T, class Lane>
RIDGE_DEVICE void take_header(Lane& lane, const Span<T>& packed, Index at, bool packs,
                              const Span<unsigned>& moved) {
  if (packs) {
    lane.store(packed, at, lane.load_written(moved, 0) != 0 ? T(1) : T(0));
  } else if (lane.load_written(packed, at) != T(0)) {
    (void)lane.atomic_add(moved, 0, 1U);
  }
}

template <class T>
struct CopyUnit {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "units of bodies in messages";
  UnitCopy<T> c;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index item = item_of<CopyUnit>(lane);
    if (item < c.headers.size)
      take_header(lane, c.packed, lane.load(c.headers, item), c.packs, c.moved);
    const Index n = item / c.unit;
    if (n >= c.units.size) return;
    const unsigned unit = lane.load(c.units, n);
    const Index within = item % c.unit;
    const Index slot = Index{unit} * c.unit + within;
    if (unit == no_unit || slot >= c.bodies) return;
    copy_body(lane, c, lane.load(c.body, slot), lane.load(c.places, n) + within);
  }
};

template <class T>
struct CopyBodies {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "bodies of ranks in messages";
  AllCopy<T> c;

  [[nodiscard]] Index items() const {
    return std::max<Index>(c.packs ? c.end_slot - c.first_slot : c.home.size, c.ranks);
  }
  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index item = item_of<CopyBodies>(lane);
    if (c.moved.size != 0 && item < c.ranks && (item == c.rank) == c.packs)
      take_header(lane, c.packed, c.headers + item * UnitCopy<T>::header, c.packs, c.moved);
    Index i = item;
    Index slot = c.first_slot + item;
    if (c.packs) {
      if (slot >= c.end_slot) return;
      i = lane.load(c.body, slot);
    } else {
      if (i >= c.home.size) return;
      slot = lane.load(c.home, i);
      if (slot >= c.first_slot && slot < c.end_slot) return;
    }
    const auto width = static_cast<unsigned>(c.unit);
    const unsigned unit = static_cast<unsigned>(slot) / width;
    copy_body(lane, c, i, slot + Index{2} * width * unit);
  }
};

template <class T>
void copy_all(Queue& queue, const AllCopy<T>& c) {
  const CopyBodies<T> copies{c};
  launch_items(queue, copies.items(), copies);
}

template <class T>
void copy_units(Queue& queue, const UnitCopy<T>& c) {
  launch_items(queue, std::max(c.units.size * c.unit, c.headers.size), CopyUnit<T>{c});
}

/// And sets what is written later. In a graph, setting memory would wait for the sums beside it.
struct FindHomes {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "slots of bodies";
  UnitNeeds m;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index slot = item_of<FindHomes>(lane);
    if (slot < m.marks.size) lane.store(m.marks, slot, no_unit);
    if (slot < m.counts.size) lane.store(m.counts, slot, no_unit);
    if (slot < m.messages.size) lane.store(m.messages, slot, no_unit);
    if (slot < m.meets.size) lane.store(m.meets, slot, 0U);
    if (slot >= m.lists.bodies) return;
    const unsigned body = lane.load(m.lists.body, slot); // none where bodies are nowhere
    if (body != pairs::no_body) lane.store(m.home, Index{body}, static_cast<unsigned>(slot));
  }
};

/// A lane goes through a column of a warp's lists, where these may meet others at all.
struct MarkUnit {
  static constexpr int max_threads = 128;
  static constexpr const char* name = "units in lists";
  UnitNeeds m;
  Index most_rows;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const pairs::ListData& l = m.lists;
    const Index warp = item_of<MarkUnit>(lane) / lane.width();
    if (warp >= l.row_counts.size || lane.load(l.may_meet, warp) == 0) return;
    int count = static_cast<int>(lane.load(l.row_counts, warp));
    // Where rows were too few the lists end with them, and are built again.
    if (l.row_begins.size == 0 && count > most_rows) count = static_cast<int>(most_rows);
    Index at = l.row_begins.size == 0 ? warp * most_rows : Index{lane.load(l.row_begins, warp)};
    at = (at * lane.width() + lane.lane()) * 4;
    unsigned last = no_unit; // slots of a list follow each other: most say again what was said
    for (int row = 0; row < count; ++row, at += Index{4} * lane.width()) {
      const Pack<unsigned, 4> four = lane.template load_pack<4>(l.entries, at);
      RIDGE_UNROLL
      for (int n = 0; n < 4; ++n) {
        const Index slot = four[n];
        if (slot >= l.slots) continue;
        const Index home = slot < l.bodies
                               ? slot
                               : Index{lane.load_written(m.home, Index{lane.load(l.body, slot)})};
        if (home >= l.first_slot && home < l.end_slot) continue;
        const unsigned unit = static_cast<unsigned>(home) / static_cast<unsigned>(l.unit);
        if (unit != last) lane.store(m.marks, Index{unit}, 1U);
        last = unit;
      }
    }
    if (last != no_unit) lane.store(m.meets, warp / l.ways, 1U);
  }
};

/// A lane for each unit: those that are marked go into the message of their rank.
struct AskForUnits {
  static constexpr int max_threads = 256;
  static constexpr const char* name = "units for ranks";
  UnitNeeds m;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index unit = item_of<AskForUnits>(lane);
    if (unit >= m.marks.size || lane.load_written(m.marks, unit) == no_unit) return;
    Index rank = 0;
    for (Index end = m.counts.size; rank + 1 < end;) { // the last that begins before
      const Index middle = (rank + end) / 2;
      (lane.load(m.first_units, middle) <= unit ? rank : end) = middle;
    }
    const Index begin = lane.load(m.begins, rank);
    const Index to = begin + 1 + (lane.atomic_add(m.counts, rank, 1U) + 1U);
    if (to < lane.load(m.begins, rank + 1)) {
      lane.store(m.messages, to, static_cast<unsigned>(unit));
    } else if (m.halt.size != 0) {
      halt_all(lane, m.halt);
    }
  }

  /// The build that has ended is none, since it has to be done again.
  template <class Lane>
  static RIDGE_DEVICE void halt_all(Lane& lane, const Span<unsigned>& halt) {
    if (lane.atomic_add(halt, pairs::ListHalt::moved, 1U) == 0)
      (void)lane.atomic_add(halt, pairs::ListHalt::builds, ~0U);
  }
};

void find_units(Queue& queue, const UnitNeeds& m) {
  const pairs::ListData& l = m.lists;
  launch_items(queue, std::max({l.bodies, m.marks.size, m.counts.size, m.messages.size}),
               FindHomes{m});
  if (l.row_counts.size == 0) return;
  const Index width = queue.device().facts().warp_width;
  launch_items(queue, l.row_counts.size * width,
               MarkUnit{m, l.entries.size / (4 * width * l.row_counts.size)});
  launch_items(queue, m.marks.size, AskForUnits{m});
}

/// A lane for each message.
struct SayWords {
  static constexpr int max_threads = 64;
  static constexpr const char* name = "words of ranks";
  UnitWords w;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index item = item_of<SayWords>(lane);
    if (item >= w.at.size) return;
    const Index at = lane.load(w.at, item);
    if (w.sends) {
      if (lane.load_written(w.halt, pairs::ListHalt::moved) == 0) return;
      lane.store(w.messages, at, not_done);
    } else {
      if (lane.load_written(w.messages, at) != not_done) return;
      AskForUnits::halt_all(lane, w.halt);
    }
    // Sums run beside this, and may have looked before.
    lane.store(w.halt, pairs::ListHalt::halted, 1U);
  }
};

void say_units(Queue& queue, const UnitWords& w) {
  launch_items(queue, w.at.size, SayWords{w});
}

#endif

const Offer floats(kind_of<Here>, typeid(UnitCopy<float>), &copy_units<float>);
const Offer doubles(kind_of<Here>, typeid(UnitCopy<double>), &copy_units<double>);
const Offer all_floats(kind_of<Here>, typeid(AllCopy<float>), &copy_all<float>);
const Offer all_doubles(kind_of<Here>, typeid(AllCopy<double>), &copy_all<double>);
const Offer wrapped_floats(kind_of<Here>, typeid(WrapBodies<float>), &wrap_bodies<float>);
const Offer wrapped_doubles(kind_of<Here>, typeid(WrapBodies<double>), &wrap_bodies<double>);
const Offer needs(kind_of<Here>, typeid(UnitNeeds), &find_units);
const Offer words(kind_of<Here>, typeid(UnitWords), &say_units);

} // namespace sharing::inline RIDGE_TARGET_NAME

} // namespace ridge::md
