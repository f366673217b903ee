// Sums over near pairs on the cpu: a group of bodies in a pack, the bodies of its list one after
// the other.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/functions.hpp>
#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/device/field.hpp>
#include <ridge/pairs/lists/executor.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace ridge::pairs {

namespace cpu_pairs::inline RIDGE_TARGET_NAME {

template <class I, class P, int Share>
class NearWorker {
  using T = typename P::Stored;
  using V = Pack<typename P::Computed, Share, abi::Native>;
  static constexpr bool converts = !std::is_same_v<T, typename P::Computed>;

public:
  static constexpr int padded = I::sources <= 4 ? 4 : (I::sources + 7) / 8 * 8;

  NearWorker(const Listed<I, P>& call, T* brought) : call_(call), brought_(brought) {}

  /// Components of slots, side by side, images moved by their periods.
  void bring(Index begin, Index end) {
    const ListData& lists = *call_.lists;
    for (Index slot = begin; slot < end; ++slot) {
      const Index i = lists.body.data[slot];
      const unsigned shift = lists.shift.data[slot];
      T* const to = brought_ + slot * padded;
      for (int c = 0; c < I::sources; ++c)
        to[c] = call_.bodies[c].data[i];
      for (int c = 0; c < 3; ++c)
        to[c] += static_cast<T>(shift_of(shift, c)) * static_cast<T>(lists.length[c]);
    }
  }

  /// Sums up one of the groups that have lists.
  void sum_up(Index group) const {
    if constexpr (converts) {
      if (is_spread(group)) return sum_up_from<true>(group);
    }
    sum_up_from<false>(group);
  }

private:
  [[nodiscard]] int count_of(Index first) const {
    return static_cast<int>(std::min<Index>(Share, call_.lists->bodies - first));
  }

  /// True where bodies of a group are so far from its first that positions from there lose digits,
  /// as in a gas.
  [[nodiscard]] bool is_spread(Index group) const {
    const ListData& lists = *call_.lists;
    const Index first = lists.first_slot + group * Share;
    const T* const origin = brought_ + first * padded;
    const T limit = static_cast<T>(16 * lists.cutoff);
    bool is_far = false;
    for (int l = count_of(first); l-- > 1;) {
      for (int c = 0; c < 3; ++c)
        is_far |= std::abs(origin[l * padded + c] - origin[c]) > limit;
    }
    return is_far;
  }

  /// Where numbers are stored in more digits, positions are taken from the group's first body or,
  /// `Apart`, from each body.
  template <bool Apart>
  void sum_up_from(Index group) const {
    const ListData& lists = *call_.lists;
    const Index first = lists.first_slot + group * Share;
    const int count = count_of(first);
    const T* const origin = brought_ + first * padded;
    V target[I::targets];
    for (int c = 0; c < I::targets; ++c) {
      for (int l = 0; l < Share; ++l) {
        const T* const body = origin + std::min(l, count - 1) * padded;
        target[c].set(
            l, static_cast<typename P::Computed>(relative(body[c], Apart ? body : origin, c)));
      }
    }
    V sum[I::sums];
    for (V& s : sum)
      s = V(0);
    const V limit(lists.cutoff * lists.cutoff);
    const I interaction = call_.interaction;
    const unsigned* const entries = lists.entries.data;
    const Index end = lists.first.data[group + 1];
    for (Index e = lists.first.data[group]; e < end; ++e)
      meet<Apart>(interaction, target, brought_ + Index{entries[e]} * padded, origin, count, limit,
                  sum);
    for (int l = 0; l < count; ++l) { // each other
      V with[I::sums];
      std::copy_n(sum, I::sums, with);
      meet<Apart>(interaction, target, origin + l * padded, origin, count, limit, with);
      for (int c = 0; c < I::sums; ++c) {
        with[c].set(l, sum[c][l]);
        sum[c] = with[c];
      }
    }
    for (int c = 0; c < I::sums; ++c) {
      for (int l = 0; l < count; ++l)
        call_.sums[c].data[lists.body.data[first + l]] = static_cast<typename P::Summed>(sum[c][l]);
    }
  }

  static RIDGE_FN T relative(T value, const T* origin, int c) {
    return converts && c < 3 ? value - origin[c] : value;
  }
  template <bool Apart>
  static RIDGE_FN void meet(const I& interaction, const V (&target)[I::targets], const T* from,
                            const T* origin, int count, const V& limit, V (&sum)[I::sums]) {
    using Computed = typename P::Computed;
    V source[I::sources];
    RIDGE_UNROLL
    for (int c = 0; c < I::sources; ++c) {
      if (Apart && c < 3) {
        for (int l = 0; l < Share; ++l)
          source[c].set(
              l, static_cast<Computed>(from[c] - origin[std::min(l, count - 1) * padded + c]));
      } else {
        source[c] = V(static_cast<Computed>(relative(from[c], origin, c)));
      }
    }
    if constexpr (cuts_itself<I>) {
      (void)limit;
      interaction(target, source, sum);
    } else {
      V with[I::sums];
      std::copy_n(sum, I::sums, with);
      interaction(target, source, with);
      const V x = target[0] - source[0];
      const V y = target[1] - source[1];
      const V z = target[2] - source[2];
      const auto is_near = x * x + (y * y + z * z) < limit;
      RIDGE_UNROLL
      for (int c = 0; c < I::sums; ++c)
        sum[c] = select(is_near, with[c], sum[c]);
    }
  }

  const Listed<I, P>& call_;
  T* brought_;
};

/// The groups of a thread, so that all have about as many entries.
inline cpu::Range groups_of(const ListData& lists, int thread, int team) {
  const Index* const begin = lists.first.data;
  const Index groups = lists.first.size - 1;
  // The own ones count, too.
  const auto upto = [&](int n) {
    const Index all = begin[groups] + groups * lists.share;
    const Index wanted = all / team * n;
    if (n == team) return groups;
    Index low = 0;
    Index high = groups;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (begin[middle] + middle * lists.share < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  return {upto(thread), upto(thread + 1)};
}

template <int Share, class I, class P>
Bound bind_near(const Device& device, const Listed<I, P>& call, const CpuListSchedule& s) {
  using Worker = NearWorker<I, P, Share>;
  using T = typename P::Stored;
  constexpr Index few = 2048; // bodies: waking threads takes longer
  const int threads = s.threads != 0             ? s.threads
                      : call.lists->bodies < few ? 1
                                                 : cpu::default_threads();
  return Bound([device, call, threads, brought = Field<T>()]() mutable {
    const ListData& lists = *call.lists;
    if (brought.count() < lists.slots * Worker::padded) {
      const Index needed = lists.slots * Worker::padded;
      brought = {};
      brought = Field<T>(device, Extents{needed + needed / 10}, "bodies by lists");
    }
    Worker worker(call, brought.data());
    cpu::run(threads, [&](int thread, int team) {
      const cpu::Range mine = cpu::share_of(lists.slots, thread, team);
      worker.bring(mine.begin, mine.end);
    });
    cpu::run(threads, [&](int thread, int team) {
      cpu::in_pieces(groups_of(lists, thread, team), 512, [&](const cpu::Range& piece) {
        for (Index group = piece.begin; group < piece.end; ++group)
          worker.sum_up(group);
      });
    });
  });
}

} // namespace cpu_pairs::inline RIDGE_TARGET_NAME

template <class I, class P>
Bound ListExecutor<I, P, target::Cpu>::bind(Queue& queue, const Listed<I, P>& call,
                                            const CpuListSchedule& s) {
  // Of stored numbers and of computed ones as many as a register holds.
  constexpr int stored = simd_bytes / static_cast<int>(sizeof(typename P::Stored));
  constexpr int computed = simd_bytes / static_cast<int>(sizeof(typename P::Computed));
  constexpr int half = computed / 2;
  Bound bound;
  const auto bind = [&](auto share) {
    bound = cpu_pairs::bind_near<share>(queue.device(), call, s);
  };
  if constexpr (stored == computed || stored == half) {
    if (!choose(call.lists->share, Choices<computed, half>{}, bind)) {
      throw UsageError("share=" + std::to_string(call.lists->share) +
                       ": sums of this precision are over packs of " + std::to_string(half) +
                       " or " + std::to_string(computed) + " bodies on this cpu");
    }
  }
  return bound;
}

template <class I, class P>
const Offer ListExecutor<I, P, target::Cpu>::offered =
    launch::offer<ListExecutor, Listed<I, P>>(DeviceKind::cpu, this_source);

} // namespace ridge::pairs
