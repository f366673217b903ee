// Loops over stored sites on the cpu.
#pragma once

#include <ridge/device/cpu/pause.hpp>
#include <ridge/lattice/stored/cpu/sites.hpp>
#include <ridge/lattice/stored/executor.hpp>

#include <mutex>

namespace ridge::lattice {

namespace cpu_site::inline RIDGE_TARGET_NAME {

/// The groups of a window: where neighbouring sites make a group, those between its first and its
/// last site; else those at its places within a box, which it has as a whole along dimensions that
/// are cut.
struct GroupRange {
  Index count = 0, first = 0;
  int begin[grid_dimensions] = {}, length[grid_dimensions] = {};

  GroupRange(const SiteGrid& g, const SiteWindow& w, bool neighbours) {
    if (neighbours) {
      int last[grid_dimensions];
      for (int d = 0; d < grid_dimensions; ++d)
        last[d] = w.end[d] - 1;
      first = g.index(w.begin) / g.lanes;
      count = w.count() > 0 ? g.index(last) / g.lanes + 1 - first : 0;
      return;
    }
    count = 1;
    for (int d = 0; d < grid_dimensions; ++d) {
      const bool cut = g.boxes[d] > 1;
      begin[d] = cut ? 0 : w.begin[d];
      length[d] = cut ? g.local(d) : w.end[d] - w.begin[d];
      count *= length[d] > 0 ? length[d] : 0;
    }
  }
  /// Group `i` of them, and its coordinates in a box; of neighbouring sites it has none.
  Index group(const SiteGrid& g, Index i, int (&c)[grid_dimensions]) const {
    if (length[0] == 0) return first + i;
    Index group = 0;
    Index stride = 1;
    for (int d = 0; d < grid_dimensions; ++d) {
      c[d] = begin[d] + static_cast<int>(i % length[d]);
      i /= length[d];
      group += c[d] * stride;
      stride *= g.local(d);
    }
    return group;
  }
};

/// Groups whose values are fetched before they are read.
inline constexpr int fetched_ahead = 1;

/// Calls the kernel for all packs of a window; returns the sum of what it gives, where `sums`.
template <bool Inner, class K>
double stored_loop(const SiteGrid& g, const SiteWindow& window, const K& kernel,
                   const StoredCpuSchedule& s, bool sums) {
  using T = typename K::Real;
  constexpr int width = simd_bytes / static_cast<int>(sizeof(T));
  const BoxShifts shifts(g);
  const bool neighbours = !Inner && !g.has_boxes();
  const SiteWindow* const part = window == window_of(g) ? nullptr : &window;
  const GroupRange range(g, window, neighbours);
  // Fields that fit the cores' caches are there already.
  const int ahead = g.sites() * g.inner > 4096 ? fetched_ahead : 0;
  std::mutex guard;
  double all = 0;
  cpu::run(s.threads > 0 ? s.threads : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(range.count, thread, threads);
    double total = 0;
    for (Index i = mine.begin; i < mine.end; ++i) {
      if (i % 512 == 0 && !cpu::goes_on()) break;
      int c[grid_dimensions] = {};
      const Index group = range.group(g, i, c);
      for (int first = 0; first < g.lanes; first += width) {
        const StoredSites<T, width, Inner> at(g, part, shifts, group, c, first,
                                              s.store == Results::streaming, ahead);
        if (neighbours && part != nullptr && !at.any_inside()) continue;
        const auto value = kernel(at, sums);
        if (sums) total += at.total(value);
      }
    }
    store_fence();
    const std::lock_guard lock(guard);
    all += total;
  });
  return all;
}

} // namespace cpu_site::inline RIDGE_TARGET_NAME

template <class K, class Target>
Bound StoredLooper<K, Target>::bind(Queue& /*queue*/, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return Bound([kernel = call.kernel, g = call.grid, w = call.computed(), result = call.sum, s] {
    const bool sums = result.data != nullptr;
    const double sum = g.inner > 1 ? cpu_site::stored_loop<true>(g, w, kernel, s, sums)
                                   : cpu_site::stored_loop<false>(g, w, kernel, s, sums);
    if (result.data != nullptr) result.data[0] = sum;
  });
}

} // namespace ridge::lattice
