// Loops over stored sites on the cpu.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lattice/stored/cpu/sites.hpp>
#include <ridge/lattice/stored/executor.hpp>

#include <mutex>

namespace ridge::lattice {

namespace cpu_site::inline RIDGE_TARGET_NAME {

/// Groups whose values are fetched before they are read.
inline constexpr int fetched_ahead = 1;

/// Calls the kernel for all packs; returns the sum of what it gives, where `sums`.
template <bool Inner, class K>
double stored_loop(const SiteGrid& g, const K& kernel, const StoredCpuSchedule& s, bool sums) {
  using T = typename K::Real;
  constexpr int width = simd_bytes / static_cast<int>(sizeof(T));
  const BoxShifts shifts(g);
  const bool neighbours = !Inner && !g.has_boxes();
  const Index groups = ceil_div(g.sites(), Index{Inner ? 1 : g.lanes});
  // What fits the cores' caches is there already.
  const int ahead = g.sites() * g.inner > 4096 ? fetched_ahead : 0;
  std::mutex guard;
  double all = 0;
  cpu::run(s.threads > 0 ? s.threads : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(groups, thread, threads);
    double total = 0;
    for (Index group = mine.begin; group < mine.end; ++group) {
      int c[grid_dimensions] = {};
      Index rest = group;
      for (int d = 0; d < grid_dimensions && !neighbours; ++d) {
        c[d] = static_cast<int>(rest % g.local(d));
        rest /= g.local(d);
      }
      for (int first = 0; first < g.lanes; first += width) {
        const StoredSites<T, width, Inner> at(g, shifts, group, c, first,
                                              s.store == Results::streaming, ahead);
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
  return Bound([kernel = call.kernel, g = call.grid, result = call.sum, s] {
    const double sum = g.inner > 1
                           ? cpu_site::stored_loop<true>(g, kernel, s, result.data != nullptr)
                           : cpu_site::stored_loop<false>(g, kernel, s, result.data != nullptr);
    if (result.data != nullptr) result.data[0] = sum;
  });
}

} // namespace ridge::lattice
