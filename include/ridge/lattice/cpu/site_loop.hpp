// Site loops on the cpu: the sites of a group as packs.
#pragma once

#include <ridge/core/pack.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/lattice/cpu/chosen_lanes.hpp>
#include <ridge/lattice/cpu/fields_ahead.hpp>
#include <ridge/lattice/cpu/site.hpp>
#include <ridge/lattice/site_executor.hpp>
#include <ridge/lattice/store_expression.hpp>

namespace ridge::lattice {

namespace cpu_site::inline RIDGE_TARGET_NAME {

/// Calls `kernel(sites)` for all packs of sites. `ahead`: fields whose memory it walks, or null.
template <int Width, class K>
void loop(const Geometry& g, const K kernel, Subset subset, const CpuSchedule& s,
          const FieldsAhead* ahead = nullptr) {
  cpu::run(s.threads > 0 ? s.threads : cpu::default_threads(), [&](int thread, int threads) {
    const auto mine = cpu::share_of(g.groups, thread, threads);
    [[maybe_unused]] const ChosenLanes<chooses_sites<K>> chosen(g);
    for (Index group = mine.begin; group < mine.end; ++group) {
      if (group % 512 == 0 && !cpu::goes_on()) break;
      if (ahead != nullptr) ahead->ask(group);
      for (int first = 0; first < g.nsimd; first += Width) {
        bool wanted[Width];
        if constexpr (chooses_sites<K>) {
          const int count = chosen.find(kernel, group, first, Width, wanted);
          if (count > 0) kernel(Sites<Width>(g, group, first, count == Width ? nullptr : wanted));
          continue;
        }
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

} // namespace cpu_site::inline RIDGE_TARGET_NAME

template <class S, class E, class Target>
Bound Assigner<S, E, Target>::bind(Queue& /*queue*/, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return Bound([call, s, ahead = cpu_site::FieldsAhead(s, call.e)] {
    constexpr int width = cpu_site::width_of<S>;
    const Geometry& g = call.z.geometry;
    if (s.store == Store::nontemporal) {
      cpu_site::loop<width>(g, StoreExpression<S, E, true>{call.z, call.e}, call.subset, s, &ahead);
    } else {
      cpu_site::loop<width>(g, StoreExpression<S, E, false>{call.z, call.e}, call.subset, s,
                            &ahead);
    }
  });
}

template <class S, class K, class Target>
Bound SiteLooper<S, K, Target>::bind(Queue& /*queue*/, const Call& call, const Schedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  return Bound([call, s] {
    cpu_site::loop<cpu_site::width_of<std::remove_const_t<S>>>(call.like.geometry, call.kernel,
                                                               call.subset, s);
  });
}

} // namespace ridge::lattice
