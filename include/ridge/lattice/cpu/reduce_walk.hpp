// Reductions on the cpu: each thread walks its share of the groups once, 64 bytes at a time; every
// chunk of a vector has accumulators of its own, so that no addition waits for the one before.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/lattice/accumulator.hpp>
#include <ridge/lattice/cpu/binned.hpp>
#include <ridge/lattice/cpu/schedule.hpp>
#include <ridge/lattice/reduce_call.hpp>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace ridge::lattice::cpu_reduce::inline RIDGE_TARGET_NAME {

inline constexpr int chunk_bytes = 64;

/// 64 bytes of T as `count` packs of doubles.
template <class T>
struct Chunk {
  static constexpr int elements = chunk_bytes / static_cast<int>(sizeof(T));
  static constexpr int count = elements / 8;
  Doubles v[count];

  RIDGE_FN static Chunk load(const T* from) {
    Chunk c;
    RIDGE_UNROLL
    for (int i = 0; i < count; ++i) {
      if constexpr (sizeof(T) == 8) {
        c.v[i] = Doubles::load(from + i * 8);
      } else {
        c.v[i] = widen(Pack<float, 8, abi::Native>::load(from + i * 8));
      }
    }
    return c;
  }
};

/// Neighbours exchanged: real for imaginary part.
template <int N>
RIDGE_FN Pack<double, N, abi::Native> swap_parts(const Pack<double, N, abi::Native>& x) {
  using V = Pack<double, N, abi::Native>;
  if constexpr (N == 8) {
    return V(__builtin_shufflevector(x.lanes, x.lanes, 1, 0, 3, 2, 5, 4, 7, 6));
  } else if constexpr (N == 4) {
    return V(__builtin_shufflevector(x.lanes, x.lanes, 1, 0, 3, 2));
  } else {
    return V(__builtin_shufflevector(x.lanes, x.lanes, 1, 0));
  }
}

/// Accumulators of one chunk: of products of equal and, for complex inner products, of exchanged
/// parts.
template <class T, class R, bool Crossed, class A>
struct ChunkSums {
  static constexpr bool crossed = Crossed;
  /// Numbers that a chunk adds, each to a sum of its own.
  static constexpr int values = Chunk<T>::count * (crossed ? 2 : 1);
  A same[Chunk<T>::count];
  A cross[crossed ? Chunk<T>::count : 1];

  void clear() {
    for (A& a : same)
      a.clear();
    for (A& a : cross)
      a.clear();
  }
  RIDGE_FN void settle() {
    RIDGE_UNROLL
    for (A& a : same)
      a.settle();
    RIDGE_UNROLL
    for (A& a : cross)
      a.settle();
  }
  A& sum(int i) { return i < Chunk<T>::count ? same[i] : cross[i - Chunk<T>::count]; }
  /// The terms of a chunk, each number rounded by itself: term [number][register of it].
  static RIDGE_FN void find(const R& r, const T* x, const T* y, Lanes* terms) {
    RIDGE_UNROLL
    for (int i = 0; i < Chunk<T>::count * registers; ++i) {
      const Lanes xs = load_lanes(x + i * lanes);
      Lanes ys = xs;
      if constexpr (R::inputs == 2 && !R::stores) ys = load_lanes(y + i * lanes);
      terms[i] = rounded(term(r, xs, ys));
      if constexpr (crossed)
        terms[Chunk<T>::count * registers + i] = rounded(term(r, xs, swap_parts(ys)));
    }
  }
  RIDGE_FN void take(const R& r, const Chunk<T>& x, const Chunk<T>& y) {
    RIDGE_UNROLL
    for (int i = 0; i < Chunk<T>::count; ++i) {
      add(same[i], term(r, x.v[i], y.v[i]));
      if constexpr (crossed) add(cross[i], term(r, x.v[i], swap_parts(y.v[i])));
    }
  }

private:
  template <class V>
  static RIDGE_FN V term(const R& r, const V& x, [[maybe_unused]] const V& y) {
    if constexpr (R::inputs == 2 && !R::stores) {
      return r.term(x, y);
    } else {
      return r.term(x);
    }
  }
  template <class V>
  static RIDGE_FN V rounded(const V& term) {
    if constexpr (R::rounds) {
      return detail::opaque(term);
    } else {
      return term;
    }
  }
  static RIDGE_FN void add(A& sum, const Doubles& term) {
    if constexpr (A::words > 1) {
      sum.add(rounded(term));
    } else {
      sum.add(term);
    }
  }
};

/// Where a thread's accumulators are: [slice of a box][key][chunk of a vector].
struct Slots {
  Index slices, keys, chunks;
  [[nodiscard]] Index count() const { return slices * keys * chunks; }
};

/// Accumulators in registers over a stretch of memory whose chunks all go to one slot.
inline constexpr int streams = 8;

template <class T, class R, bool Crossed, class A>
class Walker {
public:
  using Sums = ChunkSums<T, R, Crossed, A>;

  /// Adds to `sums`, one for each slot, which it clears first.
  Walker(const ReduceCall<R, T>& call, const Slots& slots, const CpuSchedule& s,
         std::vector<Sums>& sums)
      : call_(call), slots_(slots), store_(s.store), ahead_(s.ahead, s.streams), sums_(sums) {
    for (Sums& one : sums_)
      one.clear();
  }

  /// Takes elements [begin, end) of a slice; begin is the start of a group.
  void walk(Index slice, Index begin, Index end) {
    Sums* const slot = sums_.data() + slice * slots_.keys * slots_.chunks;
    if (slots_.keys * slots_.chunks == 1 && end - begin >= streams * Chunk<T>::elements) {
      one_slot(*slot, begin, end);
    } else {
      many_slots(slot, begin, end);
    }
  }

private:
  static constexpr Index step = Chunk<T>::elements;

  RIDGE_FN void ask(Index i) {
    if (!ahead_) return;
    ahead_.ask(call_.x.data + i);
    if constexpr (R::inputs == 2) ahead_.ask(call_.y.data + i);
  }
  /// Stores what a reduction stores; `values` has it too then.
  RIDGE_FN void store(Index i, T* values) {
    using P = Pack<T, Chunk<T>::elements, abi::Native>;
    const P x = P::load(call_.x.data + i);
    const P z = [&] {
      if constexpr (R::inputs == 2) {
        return call_.reduction.stored(x, P::load(call_.y.data + i));
      } else {
        return call_.reduction.stored(x);
      }
    }();
    if (store_ == Store::nontemporal) {
      z.stream(call_.z.data + i);
    } else {
      z.store(call_.z.data + i);
    }
    z.store(values);
  }
  RIDGE_FN Chunk<T> fetch(Index i, Chunk<T>& y) {
    ask(i);
    if constexpr (R::stores) {
      T values[Chunk<T>::elements];
      store(i, values);
      return Chunk<T>::load(values);
    } else {
      if constexpr (R::inputs == 2) y = Chunk<T>::load(call_.y.data + i);
      return Chunk<T>::load(call_.x.data + i);
    }
  }
  /// The terms that the chunk at i adds to binned sums.
  RIDGE_FN void find(Index i, Lanes* terms) {
    ask(i);
    if constexpr (R::stores) {
      T values[Chunk<T>::elements];
      store(i, values);
      Sums::find(call_.reduction, values, nullptr, terms);
    } else if constexpr (R::inputs == 2) {
      Sums::find(call_.reduction, call_.x.data + i, call_.y.data + i, terms);
    } else {
      Sums::find(call_.reduction, call_.x.data + i, nullptr, terms);
    }
  }

  /// Additions to a register before it is added to the slot: few enough to keep sums of many exact
  /// to a few hundred roundings, and within the period of binned sums.
  static constexpr int stretch = 256;

  void one_slot(Sums& slot, Index begin, Index end) {
    if constexpr (A::words > 1) {
      one_slot_binned(slot, begin, end);
    } else {
      one_slot_in_streams(slot, begin, end);
    }
  }
  void one_slot_in_streams(Sums& slot, Index begin, Index end) {
    Sums local[streams];
    for (Sums& s : local)
      s.clear();
    Index i = begin;
    while (i + streams * step <= end) {
      const Index stop = std::min(end, i + Index{stretch} * streams * step);
      for (; i + streams * step <= stop; i += streams * step) {
        RIDGE_UNROLL
        for (int s = 0; s < streams; ++s) {
          Chunk<T> y;
          const Chunk<T> x = fetch(i + s * step, y);
          local[s].take(call_.reduction, x, y);
        }
      }
      for (Sums& s : local) {
        merge(slot, s);
        s.clear();
      }
    }
    for (; i < end; i += step) {
      Chunk<T> y;
      const Chunk<T> x = fetch(i, y);
      local[0].take(call_.reduction, x, y);
    }
    merge(slot, local[0]);
  }

  /// Binned sums that fit into registers at once, or those of one chunk.
  static constexpr int together_binned = std::max(Sums::values, 4 / registers);

  /// Batches of binned sums, and the few chunks that are left.
  void one_slot_binned(Sums& slot, Index begin, Index end) {
    constexpr int chunks = together_binned / Sums::values;
    constexpr Index batch = chunks * step;
    BinnedBatch<together_binned> sums;
    A* to[together_binned];
    for (int i = 0; i < together_binned; ++i)
      to[i] = &slot.sum(i % Sums::values);
    Index i = begin;
    while (i + batch <= end) {
      const Index stop = std::min(end, i + Index{stretch} * batch);
      for (; i + batch <= stop; i += batch) {
        Lanes terms[together_binned * registers];
        RIDGE_UNROLL
        for (int c = 0; c < chunks; ++c)
          find(i + c * step, terms + c * Sums::values * registers);
        sums.add(terms);
      }
      sums.move_to(to);
    }
    for (; i < end; i += step)
      add_groups<1>(&slot, i, 1);
  }

  static void merge(Sums& into, const Sums& from) {
    for (std::size_t i = 0; i < std::size(into.same); ++i)
      into.same[i].merge(from.same[i]);
    for (std::size_t i = 0; i < std::size(into.cross); ++i)
      into.cross[i].merge(from.cross[i]);
  }

  /// Groups that are added to a slot while it is in registers: otherwise every group's additions
  /// wait for the stores of the one before, and with them for its memory.
  static constexpr int together = 4;
  /// Only where they are near each other: far ones would be so many streams to prefetch.
  static constexpr Index most_together = 16;

  void many_slots(Sums* slot, Index begin, Index end) {
    const Index slots = slots_.keys * slots_.chunks;
    const Index group = slots * step;
    Index g = begin;
    if (A::words > 1 || slots <= most_together) {
      for (; g + together * group <= end; g += together * group) {
        if constexpr (A::words > 1) {
          add_groups_binned(slot, g, slots);
        } else {
          add_groups<together>(slot, g, slots);
        }
      }
    }
    for (; g < end; g += group)
      add_groups<1>(slot, g, slots);
  }

  /// As below, with one check for the numbers of all groups.
  void add_groups_binned(Sums* slot, Index first, Index slots) {
    for (Index s = 0; s < slots; ++s) {
      Lanes terms[together][Sums::values * registers];
      RIDGE_UNROLL
      for (int i = 0; i < together; ++i)
        find(first + (i * slots + s) * step, terms[i]);
      RIDGE_UNROLL
      for (int v = 0; v < Sums::values; ++v) {
        Lanes x[together * registers];
        RIDGE_UNROLL
        for (int i = 0; i < together * registers; ++i)
          x[i] = terms[i / registers][v * registers + i % registers];
        add_together(slot[s].sum(v), x);
      }
    }
    if ((taken_ += 2 * together) > A::period / 2) settle();
  }

  template <int Count>
  void add_groups(Sums* slot, Index first, Index slots) {
    for (Index s = 0; s < slots; ++s) {
      const auto add_to = [&](Sums& sums) {
        RIDGE_UNROLL
        for (int i = 0; i < Count; ++i) {
          Chunk<T> y;
          const Chunk<T> x = fetch(first + (i * slots + s) * step, y);
          sums.take(call_.reduction, x, y);
        }
      };
      if constexpr (Count == 1) {
        add_to(slot[s]);
      } else {
        Sums here = slot[s];
        add_to(here);
        slot[s] = here;
      }
    }
    if ((taken_ += 2 * Count) > A::period / 2) settle();
  }

  void settle() {
    taken_ = 0;
    for (Sums& s : sums_)
      s.settle();
  }

  const ReduceCall<R, T>& call_;
  Slots slots_;
  Store store_;
  cpu::LinesAhead ahead_;
  Index taken_ = 0;
  std::vector<Sums>& sums_;
};

} // namespace ridge::lattice::cpu_reduce::inline RIDGE_TARGET_NAME
