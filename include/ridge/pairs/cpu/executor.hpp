// The pairs pattern on the cpu: targets in packs, sources one after the other.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/pairs/executor.hpp>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace ridge::pairs {

namespace cpu_pairs::inline RIDGE_TARGET_NAME {

/// Sources of a block as they are computed with, [component][source], in memory of the thread's
/// own.
template <class I, class P>
class SourceBlock {
public:
  using T = typename P::Computed;
  /// Values that a block of `most` sources takes.
  static constexpr Index size(Index most) { return most * I::sources; }

  SourceBlock(T* memory, Index most) : at_(memory), stride_(most) {}

  void fill(const Call<I, P>& call, const typename P::Stored* origin, Index begin, Index end) {
    for (int c = 0; c < I::sources; ++c) {
      const auto* const from = call.sources[c].data + begin;
      T* const to = at_ + c * stride_;
      for (Index j = 0; j < end - begin; ++j)
        to[j] = computed_from<I, T>(c, from[j], origin);
    }
  }
  [[nodiscard]] const T* component(int c) const { return at_ + c * stride_; }

private:
  T* at_;
  Index stride_;
};

/// Whether sources are converted before they are computed with.
template <class P>
inline constexpr bool converts = !std::is_same_v<typename P::Stored, typename P::Computed>;

template <class I, class P, int Tile>
class Worker {
  using T = typename P::Computed;
  using V = NativePack<T>;
  using Summed = typename P::Summed;
  static constexpr int lanes = lanes_of<V>;
  static constexpr Index width = Index{Tile} * lanes;

public:
  Worker(const Call<I, P>& call, T* memory, Index block) : call_(call), converted_(memory, block) {}

  /// Adds the sources [begin, end) to the sums of targets [first, last). False: it is given up.
  [[nodiscard]] bool visit(Index first, Index last, Index begin, Index end) {
    typename P::Stored origin[I::sources] = {};
    if constexpr (converts<P>) {
      for (int c = 0; c < positions_of<I>(); ++c)
        origin[c] = call_.targets[c].data[first];
      converted_.fill(call_, origin, begin, end);
    }
    const T* source[I::sources];
    for (int c = 0; c < I::sources; ++c) {
      if constexpr (converts<P>) {
        source[c] = converted_.component(c);
      } else {
        source[c] = call_.sources[c].data + begin;
      }
    }
    for (Index i = first; i < last; i += width) {
      if (++visited_ % tiles_of_piece == 0 && !cpu::goes_on()) return false;
      visit_tile(source, origin, i, std::min(width, last - i), begin, end);
    }
    return true;
  }

private:
  static constexpr Index tiles_of_piece = 64;

  /// One tile of targets, `count` of them within the field, with sources [begin, end).
  void visit_tile(const T* const (&source)[I::sources], const typename P::Stored* origin, Index i,
                  Index count, Index begin, Index end) {
    V target[Tile][I::targets];
    V sum[Tile][I::sums];
    load_targets(target, origin, i, count);
    for (int k = 0; k < Tile; ++k) {
      for (int c = 0; c < I::sums; ++c)
        sum[k][c] = V(0);
    }
    // Sources that may be targets of this tile are visited with a look at which; the others are
    // not.
    const Index n = end - begin;
    const Index own_begin = call_.skip_self ? std::clamp<Index>(i - begin, 0, n) : n;
    const Index own_end = call_.skip_self ? std::clamp<Index>(i + width - begin, 0, n) : n;
    visit_sources(source, target, sum, 0, own_begin);
    visit_own(source, target, sum, own_begin, own_end, i - begin);
    visit_sources(source, target, sum, own_end, n);
    add(sum, i, count);
  }

  void load_targets(V (&target)[Tile][I::targets], const typename P::Stored* origin, Index i,
                    Index count) const {
    for (int k = 0; k < Tile; ++k) {
      for (int c = 0; c < I::targets; ++c) {
        const auto* const from = call_.targets[c].data + i;
        if (!converts<P> && (k + 1) * lanes <= count) {
          if constexpr (!converts<P>) target[k][c] = V::load(from + k * lanes);
          continue;
        }
        // Apart from what is made of them: of both at once g++ 12 makes code that is wrong.
        alignas(64) typename P::Stored stored[lanes];
        for (int l = 0; l < lanes; ++l)
          stored[l] = from[std::min<Index>(k * lanes + l, count - 1)];
        alignas(64) T values[lanes];
        for (int l = 0; l < lanes; ++l)
          values[l] = computed_from<I, T>(c, stored[l], origin);
        target[k][c] = V::load(values);
      }
    }
  }

  void visit_sources(const T* const (&source)[I::sources], const V (&target)[Tile][I::targets],
                     V (&sum)[Tile][I::sums], Index from, Index to) const {
    const I interaction = call_.interaction;
    V total[Tile][I::sums];
    for (int k = 0; k < Tile; ++k)
      std::copy_n(sum[k], I::sums, total[k]);
    for (Index j = from; j < to; ++j) {
      V one[I::sources];
      RIDGE_UNROLL
      for (int c = 0; c < I::sources; ++c)
        one[c] = V(source[c][j]);
      RIDGE_UNROLL
      for (int k = 0; k < Tile; ++k)
        interaction(target[k], one, total[k]);
    }
    for (int k = 0; k < Tile; ++k)
      std::copy_n(total[k], I::sums, sum[k]);
  }

  /// As visit_sources, but target `first_target + l` does not see source `l`.
  void visit_own(const T* const (&source)[I::sources], const V (&target)[Tile][I::targets],
                 V (&sum)[Tile][I::sums], Index from, Index to, Index first_target) const {
    for (Index j = from; j < to; ++j) {
      V one[I::sources];
      for (int c = 0; c < I::sources; ++c)
        one[c] = V(source[c][j]);
      for (int k = 0; k < Tile; ++k) {
        V with[I::sums];
        std::copy_n(sum[k], I::sums, with);
        call_.interaction(target[k], one, with);
        const Index own = j - first_target - k * lanes;
        for (int c = 0; c < I::sums; ++c) {
          if (own >= 0 && own < lanes)
            with[c].set(static_cast<int>(own), sum[k][c][static_cast<int>(own)]);
          sum[k][c] = with[c];
        }
      }
    }
  }

  void add(const V (&sum)[Tile][I::sums], Index i, Index count) const {
    for (int c = 0; c < I::sums; ++c) {
      Summed* const to = call_.sums[c].data + i;
      for (int k = 0; k < Tile; ++k) {
        alignas(64) T values[lanes];
        sum[k][c].store(values);
        const Index here = std::clamp<Index>(count - k * lanes, 0, lanes);
        for (Index l = 0; l < here; ++l)
          to[k * lanes + l] += static_cast<Summed>(values[l]);
      }
    }
  }

  const Call<I, P>& call_;
  SourceBlock<I, P> converted_;
  Index visited_ = 0;
};

/// The share of one thread of a team. `memory` is SourceBlock::size(block) values of its own where
/// sources are converted.
template <int Tile, class I, class P>
void run(const Call<I, P>& call, Index block, typename P::Computed* memory, int thread, int team) {
  const Index sources = call.sources[0].size;
  constexpr Index grain = Index{Tile} * lanes_of<NativePack<typename P::Computed>>;
  const cpu::Range mine = cpu::share_of(call.targets[0].size, thread, team, grain);
  if (mine.begin >= mine.end) return;
  for (const auto& sum : call.sums)
    std::fill(sum.data + mine.begin, sum.data + mine.end, typename P::Summed{0});
  Worker<I, P, Tile> worker(call, memory, block);
  // Mixed precision takes positions relative to the first target of such a group.
  constexpr Index group = converts<P> ? 16 * grain : Index{1} << 62;
  for (Index first = mine.begin; first < mine.end;) {
    const Index last = mine.end - first < group ? mine.end : first + group;
    for (Index begin = 0; begin < sources; begin += block)
      if (!worker.visit(first, last, begin, std::min(sources, begin + block))) return;
    first = last;
  }
}

template <int Tile, class I, class P>
Bound bind(const Call<I, P>& call, const CpuSchedule& s) {
  using T = typename P::Computed;
  const Index block = std::min<Index>(s.sources, call.sources[0].size);
  const int threads = s.threads == 0 ? cpu::default_threads() : s.threads;
  // Two threads' memory is a cache line apart; each is the first to touch its own.
  const Index each =
      converts<P> ? SourceBlock<I, P>::size(block) + 64 / static_cast<Index>(sizeof(T)) : 0;
  const auto values = static_cast<std::size_t>(each * threads);
  return Bound([call, block, threads, each, memory = std::make_unique_for_overwrite<T[]>(values)] {
    cpu::run(threads, [&](int thread, int team) {
      run<Tile>(call, block, memory.get() + thread * each, thread, team);
    });
  });
}

} // namespace cpu_pairs::inline RIDGE_TARGET_NAME

template <class I, class P>
Bound Executor<I, P, target::Cpu>::bind(Queue& /*queue*/, const Call<I, P>& call,
                                        const CpuSchedule& s) {
  using List = CpuList<I, P>;
  Bound bound;
  choose_from<List>(CpuVariant{s.tile}, [&](auto i) {
    constexpr CpuVariant chosen = List::values[i];
    bound = cpu_pairs::bind<chosen.tile>(call, s);
  });
  return bound;
}

template <class I, class P>
const Offer Executor<I, P, target::Cpu>::offered =
    launch::offer<Executor, Call<I, P>>(DeviceKind::cpu, this_source);

} // namespace ridge::pairs
