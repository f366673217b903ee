// What the kernels of sums over ranks share: each part of the work leaves one binned accumulator.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/over_ranks.hpp>

#if defined(RIDGE_TARGET_CPU)

#include <ridge/device/cpu/parallel.hpp>

#include <algorithm>

namespace ridge::lattice::inline RIDGE_TARGET_NAME {

inline constexpr int sum_width = 8; ///< doubles at once, whatever the registers

/// Stores what `sum(part, parts)` gives for each part.
template <class F>
void for_each_part(const Span<double>& result, const F& sum) {
  constexpr int parts = BoxSum<double>::parts;
  constexpr int words = BoxSum<double>::words;
  cpu::run(cpu::default_threads(), [&](int thread, int threads) {
    for (int part = thread; part < parts; part += threads) {
      const BinnedSum<double> mine = sum(part, parts);
      std::copy(mine.w, mine.w + words, result.data + Index{part} * words);
    }
  });
}

} // namespace ridge::lattice::inline RIDGE_TARGET_NAME

#else

#include <ridge/device/launch.hpp>

namespace ridge::lattice::inline RIDGE_TARGET_NAME {

inline constexpr int sum_threads = 128;

/// A block for each part.
inline auto parts_shape(Index parts) {
  constexpr int shared = sum_threads * BoxSum<double>::words * static_cast<int>(sizeof(double));
  return LaunchShape{{static_cast<int>(parts), 1, 1}, {sum_threads, 1, 1}, shared};
}

/// Merges the accumulators of a block in shared memory and stores the sum.
template <class Lane>
RIDGE_DEVICE void store_part(Lane& lane, BinnedSum<double>& mine, const Span<double>& result) {
  constexpr int words = BoxSum<double>::words;
  auto all = lane.template shared<double>(0, words * sum_threads);
  const int me = lane.thread().x;
  for (int half = sum_threads / 2; half > 0; half /= 2) {
    if (me >= half && me < 2 * half) {
      for (int k = 0; k < words; ++k)
        all[k * sum_threads + me] = mine.w[k];
    }
    lane.barrier();
    if (me < half) {
      BinnedSum<double> other;
      for (int k = 0; k < words; ++k)
        other.w[k] = all[k * sum_threads + me + half];
      mine.merge(other);
    }
    lane.barrier();
  }
  if (me != 0) return;
  for (int k = 0; k < words; ++k)
    lane.store(result, Index{lane.block().x} * words + k, mine.w[k]);
}

} // namespace ridge::lattice::inline RIDGE_TARGET_NAME

#endif
