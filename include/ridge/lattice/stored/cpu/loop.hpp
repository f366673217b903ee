// Loops over stored sites on the cpu.
#pragma once

#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lattice/stored/cpu/sites.hpp>
#include <ridge/lattice/stored/executor.hpp>

#include <mutex>

namespace ridge::lattice {

template <class K, class Target>
Bound StoredLooper<K, Target>::bind(Queue& /*queue*/, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return Bound([kernel = call.kernel, g = call.grid, result = call.sum, s] {
    using T = typename K::Real;
    constexpr int width = simd_bytes / static_cast<int>(sizeof(T));
    const cpu_site::BoxShifts shifts(g);
    const bool neighbours = g.inner == 1 && !g.has_boxes();
    const Index groups =
        neighbours ? ceil_div(g.sites(), Index{g.lanes}) : g.sites() / (g.inner > 1 ? 1 : g.lanes);
    const bool sums = result.data != nullptr;
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
          const cpu_site::StoredSites<T, width> at(g, shifts, group, c, first,
                                                   s.store == Results::streaming);
          const auto value = kernel(at, sums);
          if (sums) total += at.total(value);
        }
      }
      store_fence();
      const std::lock_guard lock(guard);
      all += total;
    });
    if (sums) result.data[0] = all;
  });
}

} // namespace ridge::lattice
