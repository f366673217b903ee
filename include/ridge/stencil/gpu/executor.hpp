// The stencil pattern on GPUs: from a schedule to a compiled variant and its launches.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/device/launch.hpp>
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/gpu/march_launch.hpp>
#include <ridge/stencil/gpu/planning.hpp>
#include <ridge/stencil/gpu/points.hpp>
#include <ridge/stencil/gpu/window_launch.hpp>
#include <ridge/stencil/rows_at.hpp>

#include <utility>
#include <vector>

namespace ridge::stencil {

namespace gpu::inline RIDGE_TARGET_NAME {

template <PointsVariant P, class K, class T>
Bound bind_points(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  std::vector<Ready<Points<K, T, P>>> launches;
  using Body = Points<K, T, P>;
  const RowsAt rows = Body::vector > 1 ? rows_at(call) : RowsAt{};
  const Call<K, T> seen = from_rows(call, rows);
  for (const PointsLaunch& part :
       plan_points(seen.out.extents, s, rows.before + radius_of<K>().x, Body::vector))
    launches.emplace_back(queue, part.shape, Body{seen, part.plan});
  return Bound([launches = std::move(launches)]() mutable {
    for (auto& launch : launches)
      launch();
  });
}

/// Picks the compiled points kernel of a schedule.
template <class K, class T>
Bound bind_points_of(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  using List = PointsList<K, T>;
  // Bounds change nothing on the emulated GPU, and stores are chosen at run time: there are many
  // kernels to compile.
  constexpr bool emulated = std::is_same_v<Here, target::Simt>;
  constexpr PointsVariant plain;
  const Loads loads = points_loads(s, rows_at(call).rows);
  const PointsVariant wanted = emulated ? PointsVariant{s.tile, loads, plain.store, plain.bounds}
                                        : PointsVariant{s.tile, loads, s.store, s.bounds};
  Bound bound;
  const auto bind = [&](auto i) {
    constexpr PointsVariant chosen = List::values[decltype(i)::value];
    if constexpr (!emulated || (chosen.bounds == plain.bounds && chosen.store == plain.store))
      bound = bind_points<chosen>(queue, call, s);
  };
  choose_from<List>(wanted, bind);
  return bound;
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class K, class T, class Target>
Bound Executor<K, T, Target>::bind(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  if (copies_in_bulk(s.stage)) return gpu::bind_march_of(queue, call, s);
  if (s.stage == Stage::window) return gpu::bind_window_of(queue, call, s);
  return gpu::bind_points_of(queue, call, s);
}

template <class K, class T, class Target>
const Offer Executor<K, T, Target>::offered = launch::offer<Executor, Call<K, T>>(kind_of<Target>,
                                                                                  this_source);

} // namespace ridge::stencil
