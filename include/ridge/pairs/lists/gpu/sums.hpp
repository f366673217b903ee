// Sums over near pairs on GPUs: the bodies are brought into the order of the lists, then each
// thread goes through the list of its bodies. Where bodies are few, several warps of a block share
// the rows of a warp's lists, and the first adds their sums up.
#pragma once

#include <ridge/core/functions.hpp>
#include <ridge/pairs/gpu/bodies.hpp>
#include <ridge/pairs/lists/call.hpp>

namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME {

/// Bodies of N components as they are stored, side by side, each at a multiple of 16 bytes.
template <class T, int N>
inline constexpr int stored_width = 16 / static_cast<int>(sizeof(T));
template <class T, int N>
inline constexpr int
    stored_body = (N + stored_width<T, N> - 1) / stored_width<T, N>* stored_width<T, N>;

/// Lists that are summed beside messages from other ranks, behind them, or with all bodies there.
enum class ListSide { all, own, others };

/// Four entries of a list, past the L1 cache: it is left to the bodies that neighbours share.
template <class Lane>
RIDGE_DEVICE Pack<unsigned, 4> load_row(const Lane& lane, const Span<const unsigned>& entries,
                                        Index at) {
#if defined(__CUDA_ARCH__)
  uint4 r;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
      : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
      : "l"(entries.data + at));
  return ridge::gpu::bit_cast<Pack<unsigned, 4>>(r);
#else
  return lane.template load_pack<4>(entries, at);
#endif
}

/// Components of all slots, images moved by their periods. One more slot is far from all.
template <class I, class P>
struct BringBodies {
  using T = typename P::Stored;
  static constexpr int max_threads = 256;
  static constexpr const char* name = "bodies in the order of lists";
  static constexpr int width = stored_width<T, I::sources>;
  static constexpr int padded = stored_body<T, I::sources>;

  std::array<Span<const T>, I::sources> bodies;
  std::array<double, 3> length;
  double far; ///< where what is no body is
  Span<const unsigned> body, shift;
  Span<T> brought;
  Span<unsigned> halt;
  ListSide side;
  OwnLists own; ///< and of which slots it is that of
  Index first_slot, end_slot;
  int unit;

  /// Slots that may be wanted, and one more.
  [[nodiscard]] Index items(Index slots, Index listed) const {
    const Index owned = end_slot - first_slot;
    if (side == ListSide::all) return slots + 1;
    return 1 + (side == ListSide::own ? slots - listed + owned : slots - owned);
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const Index item = Index{lane.block().x} * max_threads + lane.rank();
    if (halt.size != 0 && lane.load_written(halt, ListHalt::moved) != 0) {
      if (item == 0) lane.store(halt, ListHalt::halted, 1U);
      return;
    }
    const Index slot = slot_of(item);
    if (slot > body.size) return;
    T values[padded] = {};
    const unsigned its = slot < body.size ? lane.load(body, slot) : no_body;
    if (side != ListSide::all && !is_wanted(lane, slot, its)) return;
    if (its != no_body) {
      const Index i = its;
      const unsigned periods = lane.load(shift, slot);
      RIDGE_UNROLL
      for (int c = 0; c < I::sources; ++c) {
        values[c] = lane.load(bodies[c], i);
        if (c < 3) values[c] += static_cast<T>(shift_of(periods, c)) * static_cast<T>(length[c]);
      }
    } else {
      RIDGE_UNROLL
      for (int c = 0; c < 3; ++c)
        values[c] = static_cast<T>(far);
    }
    RIDGE_UNROLL
    for (int part = 0; part < padded / width; ++part) {
      Pack<T, width> words;
      RIDGE_UNROLL
      for (int w = 0; w < width; ++w)
        words.set(w, values[part * width + w]);
      lane.store(brought, slot * padded + part * width, words);
    }
  }

private:
  /// The own slots and those of images, or all but the own.
  [[nodiscard]] RIDGE_DEVICE Index slot_of(Index item) const {
    const Index owned = end_slot - first_slot;
    if (side == ListSide::own)
      return item < owned ? first_slot + item : own.home.size + item - owned;
    return side == ListSide::all || item < first_slot ? item : item + owned;
  }
  template <class Lane>
  RIDGE_DEVICE bool is_wanted(const Lane& lane, Index slot, unsigned its) const {
    if (its == no_body) return side == ListSide::own;
    const Index home = slot < own.home.size ? slot : Index{lane.load(own.home, Index{its})};
    const bool is_own = home >= first_slot && home < end_slot;
    if (is_own || side == ListSide::own) return is_own == (side == ListSide::own);
    return lane.load(own.needed, home / unit) != no_body;
  }
};

/// `Splits`: there are several ways or parts.
template <class I, class P, int Share, bool Splits>
struct SumNear {
  using T = typename P::Stored;
  using V = Value<P>;
  static constexpr int max_threads = 256;
  static constexpr const char* name = "sums over near pairs";
  static constexpr int width = stored_width<T, I::sources>;
  static constexpr int padded = stored_body<T, I::sources>;

  I interaction;
  double cutoff;
  Index first_slot, end_slot; ///< of the bodies that have lists
  int several_ways;           ///< warps of a block that share a warp's lists
  int several_parts;          ///< of which there are as many: ListData::ways
  Span<const T> brought;
  Span<const unsigned> body, row_counts, row_begins, entries;
  Index most_rows; ///< of each warp, where row_begins is empty
  Span<const unsigned> halt;
  ListSide side;
  Span<const unsigned> meets; ///< OwnLists
  std::array<Span<typename P::Summed>, I::sums> sums;

  /// For sums of all ways but each first.
  static int shared_bytes(int threads, int ways) {
    return (threads - threads / ways) * Share * I::sums *
           static_cast<int>(sizeof(typename P::Computed));
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int warps = lane.block_extent().x / lane.width();
    const int warp_here = lane.rank() / lane.width();
    const int ways = ways_here();
    const int way = warp_here % ways;
    const Index warp = Index{lane.block().x} * (warps / ways) + warp_here / ways;
    const Index first = first_slot + (warp * lane.width() + lane.lane()) * Share;
    if (halt.size != 0 && lane.load(halt, ListHalt::moved) != 0) return;
    bool has_list = first_slot + warp * lane.width() * Share < end_slot;
    if (side != ListSide::all && has_list)
      has_list = (lane.load(meets, warp) != 0) == (side == ListSide::others);
    Body<P, I::sums> sum[Share];
    RIDGE_UNROLL
    for (int n = 0; n < Share * I::sums; ++n)
      sum[n / I::sums].at[n % I::sums] = V(0);
    if (has_list) sum_up(lane, warp, way, first, sum);
    if (Splits && ways > 1) add_ways(lane, warp_here, way, sum);
    if (!has_list || way != 0) return;
    RIDGE_UNROLL
    for (int k = 0; k < Share; ++k) {
      if (first + k >= end_slot) break;
      const Index to = lane.load(body, first + k);
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        lane.store(sums[c], to, static_cast<typename P::Summed>(sum[k].at[c][0]));
    }
  }

private:
  [[nodiscard]] RIDGE_DEVICE int ways_here() const { return Splits ? several_ways : 1; }

  struct StoredBody {
    T at[padded];
  };

  /// Over each `ways`-th part of a warp's lists or, of one part, row.
  template <class Lane>
  RIDGE_DEVICE void sum_up(const Lane& lane, Index warp, int way, Index first,
                           Body<P, I::sums> (&sum)[Share]) const {
    const Index far = body.size;
    T origin[3];
    Body<P, I::targets> target[Share];
    RIDGE_UNROLL
    for (int k = 0; k < Share; ++k) {
      const auto own = load(lane, first + k < end_slot ? first + k : far);
      if (k == 0) {
        RIDGE_UNROLL
        for (int c = 0; c < 3; ++c)
          origin[c] = own.at[c];
      }
      const Body<P, I::sources> mine = computed(own, origin);
      RIDGE_UNROLL
      for (int c = 0; c < I::targets; ++c)
        target[k].at[c] = mine.at[c];
    }
    if constexpr (Share > 1) {
      if (way == 0) meet_each_other(lane, first, origin, target, sum);
    }
    const int ways = ways_here();
    const int parts = Splits ? several_parts : 1;
    const int step = parts == 1 ? ways : 1; // from row to row
    for (int part = parts == 1 ? 0 : way; part < parts; part += ways) {
      const Index of = warp * parts + part;
      const int count = static_cast<int>(lane.load(row_counts, of));
      Index at = row_begins.size == 0 ? of * most_rows : Index{lane.load(row_begins, of)};
      int row = parts == 1 ? way : 0;
      at = ((at + row) * lane.width() + lane.lane()) * 4;
      Pack<unsigned, 4> next{};
      if (row < count) next = load_row(lane, entries, at);
      for (; row < count; row += step) {
        const Pack<unsigned, 4> four = next; // the next is on its way
        at += Index{4} * lane.width() * step;
        if (row + step < count) next = load_row(lane, entries, at);
        RIDGE_UNROLL
        for (int n = 0; n < 4; ++n) {
          const Body<P, I::sources> source = computed(load(lane, Index{four[n]}), origin);
          RIDGE_UNROLL
          for (int k = 0; k < Share; ++k)
            meet(target[k], source, sum[k]);
        }
      }
    }
  }

  /// The first of the ways gets the sums of all, in their order.
  template <class Lane>
  RIDGE_DEVICE void add_ways(Lane& lane, int warp_here, int way,
                             Body<P, I::sums> (&sum)[Share]) const {
    using Number = typename P::Computed;
    constexpr int each = Share * I::sums;
    const int width = lane.width();
    const int ways = ways_here();
    const int lists = lane.block_extent().x / width / ways;
    auto others = lane.template shared<Number>(0, lists * (ways - 1) * width * each);
    const int list = warp_here / ways;
    const auto place = [&](int of, int n) {
      return ((list * (ways - 1) + of - 1) * each + n) * width + lane.lane();
    };
    if (way != 0) {
      RIDGE_UNROLL
      for (int n = 0; n < each; ++n)
        others[place(way, n)] = sum[n / I::sums].at[n % I::sums][0];
    }
    lane.barrier();
    if (way != 0) return;
    for (int of = 1; of < ways; ++of) {
      RIDGE_UNROLL
      for (int n = 0; n < each; ++n) {
        const Number more = others[place(of, n)];
        sum[n / I::sums].at[n % I::sums] += V(more);
      }
    }
  }

  template <class Lane>
  RIDGE_DEVICE StoredBody load(const Lane& lane, Index slot) const {
    StoredBody loaded;
    RIDGE_UNROLL
    for (int part = 0; part < padded / width; ++part) {
      const auto words = lane.template load_pack<width>(brought, slot * padded + part * width);
      RIDGE_UNROLL
      for (int w = 0; w < width; ++w)
        loaded.at[part * width + w] = words[w];
    }
    return loaded;
  }
  /// As it is computed with: where positions are stored in more digits, relative to the first body.
  static RIDGE_DEVICE Body<P, I::sources> computed(const StoredBody& stored, const T (&origin)[3]) {
    constexpr bool converts = !std::is_same_v<T, typename P::Computed>;
    Body<P, I::sources> made;
    RIDGE_UNROLL
    for (int c = 0; c < I::sources; ++c)
      made.at[c] = V(converts && c < 3 ? stored.at[c] - origin[c] : stored.at[c]);
    return made;
  }
  RIDGE_DEVICE void meet(const Body<P, I::targets>& target, const Body<P, I::sources>& source,
                         Body<P, I::sums>& sum) const {
    if constexpr (cuts_itself<I>) {
      interaction(target.at, source.at, sum.at);
    } else {
      Body<P, I::sums> with = sum;
      interaction(target.at, source.at, with.at);
      const V x = target.at[0] - source.at[0];
      const V y = target.at[1] - source.at[1];
      const V z = target.at[2] - source.at[2];
      const auto is_near = x * x + (y * y + z * z) < V(cutoff * cutoff);
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        sum.at[c] = select(is_near, with.at[c], sum.at[c]);
    }
  }
  template <class Lane>
  RIDGE_DEVICE void meet_each_other(const Lane& lane, Index first, const T (&origin)[3],
                                    const Body<P, I::targets> (&target)[Share],
                                    Body<P, I::sums> (&sum)[Share]) const {
    RIDGE_UNROLL
    for (int k = 0; k < Share; ++k) {
      const bool is_body = first + k < end_slot;
      const auto source = computed(load(lane, is_body ? first + k : body.size), origin);
      RIDGE_UNROLL
      for (int other = 0; other < Share; ++other) {
        if (other != k) meet(target[other], source, sum[other]);
      }
    }
  }
};

} // namespace ridge::pairs::gpu::inline RIDGE_TARGET_NAME
