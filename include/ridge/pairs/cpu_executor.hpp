// The pairs pattern on the cpu: targets in packs, sources one after the other.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/pairs/executor.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace ridge::pairs {

namespace cpu_pairs::inline RIDGE_TARGET_NAME {

/// Sources of a block as they are computed with: [component][source].
template <class I, class P>
class SourceBlock {
public:
  using T = typename P::Computed;
  explicit SourceBlock(Index most)
      : stride_(most), at_(static_cast<std::size_t>(most * I::sources)) {}

  void fill(const Call<I, P>& call, const typename P::Stored* origin, Index begin, Index end) {
    for (int c = 0; c < I::sources; ++c) {
      const auto shift = c < positions_of<I>() ? origin[c] : typename P::Stored{0};
      const auto* const from = call.sources[c].data + begin;
      T* const to = at_.data() + c * stride_;
      for (Index j = 0; j < end - begin; ++j)
        to[j] = static_cast<T>(from[j] - shift);
    }
  }
  [[nodiscard]] const T* component(int c) const { return at_.data() + c * stride_; }

private:
  Index stride_;
  std::vector<T> at_;
};

template <class I, class P, int Tile>
class Worker {
  using T = typename P::Computed;
  using V = NativePack<T>;
  using Summed = typename P::Summed;
  static constexpr int lanes = lanes_of<V>;
  static constexpr Index width = Index{Tile} * lanes;
  static constexpr bool converts = !std::is_same_v<typename P::Stored, T>;

public:
  Worker(const Call<I, P>& call, Index block) : call_(call), converted_(converts ? block : 0) {}

  /// Adds the sources [begin, end) to the sums of targets [first, last).
  void visit(Index first, Index last, Index begin, Index end) {
    typename P::Stored origin[I::sources] = {};
    if constexpr (converts) {
      for (int c = 0; c < positions_of<I>(); ++c)
        origin[c] = call_.targets[c].data[first];
      converted_.fill(call_, origin, begin, end);
    }
    const T* source[I::sources];
    for (int c = 0; c < I::sources; ++c) {
      if constexpr (converts) {
        source[c] = converted_.component(c);
      } else {
        source[c] = call_.sources[c].data + begin;
      }
    }
    for (Index i = first; i < last; i += width)
      visit_tile(source, origin, i, std::min(width, last - i), begin, end);
  }

private:
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
        if (!converts && (k + 1) * lanes <= count) {
          if constexpr (!converts) target[k][c] = V::load(from + k * lanes);
          continue;
        }
        const auto shift = c < positions_of<I>() ? origin[c] : typename P::Stored{0};
        alignas(64) T values[lanes];
        for (int l = 0; l < lanes; ++l)
          values[l] = static_cast<T>(from[std::min<Index>(k * lanes + l, count - 1)] - shift);
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
};

template <int Tile, class I, class P>
void run(const Call<I, P>& call, const CpuSchedule& s) {
  const Index targets = call.targets[0].size;
  const Index sources = call.sources[0].size;
  const Index block = std::min<Index>(s.sources, sources);
  constexpr Index grain = Index{Tile} * lanes_of<NativePack<typename P::Computed>>;
  const int threads = s.threads == 0 ? cpu::default_threads() : s.threads;
  cpu::run(threads, [&](int thread, int team) {
    const cpu::Range mine = cpu::share_of(targets, thread, team, grain);
    if (mine.begin >= mine.end) return;
    for (const auto& sum : call.sums)
      std::fill(sum.data + mine.begin, sum.data + mine.end, typename P::Summed{0});
    Worker<I, P, Tile> worker(call, block);
    // Mixed precision takes positions relative to the first target of such a group.
    constexpr Index group =
        std::is_same_v<typename P::Stored, typename P::Computed> ? (Index{1} << 62) : 16 * grain;
    for (Index first = mine.begin; first < mine.end;) {
      const Index last = mine.end - first < group ? mine.end : first + group;
      for (Index begin = 0; begin < sources; begin += block)
        worker.visit(first, last, begin, std::min(sources, begin + block));
      first = last;
    }
  });
}

} // namespace cpu_pairs::inline RIDGE_TARGET_NAME

template <class I, class P>
void Executor<I, P, target::Cpu>::run(Queue& /*queue*/, const Call<I, P>& call,
                                      const CpuSchedule& s) {
  const bool compiled =
      choose(s.tile, Choices<1, 2, 4>{}, [&](auto tile) { cpu_pairs::run<tile>(call, s); });
  if (!compiled) throw UsageError("pairs are compiled for tile=1, 2 and 4 on the cpu");
}

template <class I, class P>
int Executor<I, P, target::Cpu>::rsqrt_steps(Grade grade) {
  using T = typename P::Computed;
  return grade == Grade::refined ? ridge::rsqrt_steps<Grade::refined, T>() : 0;
}

} // namespace ridge::pairs
