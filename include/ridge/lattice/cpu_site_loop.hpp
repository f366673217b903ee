// Site loops on the cpu: the sites of a group as packs.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/lattice/cpu_fields_ahead.hpp>
#include <ridge/lattice/cpu_site.hpp>
#include <ridge/lattice/site_loop.hpp>

namespace ridge::lattice {

namespace cpu_site::inline RIDGE_TARGET_NAME {

/// Bytes of a component of a pack of sites.
inline constexpr int site_bytes = 64;

/// Calls `kernel(sites)` for all packs of sites. `ahead`: fields whose memory it walks, or null.
template <int Width, class K>
void loop(const Geometry& g, const K kernel, Subset subset, const CpuSchedule& s,
          const FieldsAhead* ahead = nullptr) {
  cpu::run(s.threads > 0 ? s.threads : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(g.groups, thread, threads);
    for (Index group = mine.begin; group < mine.end; ++group) {
      if (ahead != nullptr) ahead->ask(group);
      for (int first = 0; first < g.nsimd; first += Width) {
        bool wanted[Width];
        if (subset != Subset::all) {
          const Sites<Width> all(g, group, first);
          for (int i = 0; i < Width; ++i)
            wanted[i] = all.is_even(i) == (subset == Subset::even);
        }
        kernel(Sites<Width>(g, group, first, subset == Subset::all ? nullptr : wanted));
      }
    }
    store_fence();
  });
}

/// Sites of a pack where the loop goes by fields of S.
template <class S>
inline constexpr int width_of = site_bytes / static_cast<int>(sizeof(NumberOf<S>));

} // namespace cpu_site::inline RIDGE_TARGET_NAME

/// Runs `kernel` at the sites of a lattice as the field `like` lies.
template <class Target, class S, class K>
void for_each_site(Queue& queue, const SiteView<S>& like, const K& kernel,
                   Subset subset = Subset::all, const std::optional<Schedule>& schedule = {}) {
  static_assert(std::is_same_v<Target, Here>, "site loops are for kernel sources and their Here");
  const auto s = detail::schedule_of<CpuSchedule>(
      queue.device(), schedule, shape_of<std::remove_const_t<S>>(), like.geometry);
  cpu_site::loop<cpu_site::width_of<std::remove_const_t<S>>>(like.geometry, kernel, subset, s);
}

} // namespace ridge::lattice
