// Launching a march with windows of registers: from a schedule to the kernel that is compiled for
// it.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/launch/bound.hpp>
#include <ridge/stencil/gpu/planning.hpp>
#include <ridge/stencil/gpu/window.hpp>
#include <ridge/stencil/rows_at.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <MarchVariant M, class K, class T>
Bound bind_window(Queue& queue, const Call<K, T>& call, const RowsAt& rows, const GpuSchedule& s) {
  using Body = WindowMarch<K, T, M>;
  const MarchLaunch launch =
      plan_march(queue, Body::march_facts(), radius_of<K>(), call.out.extents, rows, s,
                 [&](const LaunchShape& shape) { return resident_blocks<Body>(queue, shape); });
  return Bound(Ready<Body>(queue, launch.shape, Body{from_rows(call, rows), launch.plan}));
}

/// Picks the compiled march of a schedule and the fields' alignment.
template <class K, class T>
Bound bind_window_of(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  using List = WindowList<K, T>;
  constexpr bool emulated = std::is_same_v<Here, target::Simt>; // where stores are all alike
  const RowsAt rows = rows_at(call);
  Bound bound;
  choose_from<List>(window_variant(s, emulated ? Store::plain : s.store, rows.rows), [&](auto i) {
    constexpr MarchVariant chosen = List::values[decltype(i)::value];
    bound = bind_window<chosen>(queue, call, rows, s);
  });
  return bound;
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
