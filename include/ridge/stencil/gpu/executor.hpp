// The stencil pattern on GPUs: from a schedule to a compiled variant and its launches.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/gpu/march_launch.hpp>
#include <ridge/stencil/gpu/points.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ridge::stencil {

namespace gpu::inline RIDGE_TARGET_NAME {

/// Grids beyond these numbers of blocks are launched in parts.
inline constexpr Index most_blocks[3] = {(Index{1} << 31) - 1, 65535, 65535};

/// The order as axis numbers, fastest first.
inline std::array<int, 3> axes_of(Order order) {
  const std::string_view name = enum_names(Order{})[static_cast<std::size_t>(order)];
  return {name[0] - 'x', name[1] - 'x', name[2] - 'x'};
}

/// Calls `launch(GridMap, Dim3 grid)` for each part of `blocks` (along x, y, z of the field) that
/// one launch can have.
template <class F>
void for_each_part(const std::array<Index, 3>& blocks, Order order, F&& launch) {
  const auto axes = axes_of(order);
  std::array<Index, 3> most{};
  for (int g = 0; g < 3; ++g)
    most[axes[g]] = most_blocks[g];
  std::array<Index, 3> first{};
  for (first[2] = 0; first[2] < blocks[2]; first[2] += most[2]) {
    for (first[1] = 0; first[1] < blocks[1]; first[1] += most[1]) {
      for (first[0] = 0; first[0] < blocks[0]; first[0] += most[0]) {
        GridMap map;
        int extents[3];
        for (int g = 0; g < 3; ++g) {
          const int axis = axes[g];
          map.axis_of[g] = axis;
          map.first[axis] = static_cast<int>(first[axis]);
          extents[g] = static_cast<int>(std::min(most[axis], blocks[axis] - first[axis]));
        }
        launch(map, Dim3{extents[0], extents[1], extents[2]});
      }
    }
  }
}

template <PointsVariant P, class K, class T>
Bound bind_points(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  const Index3 n = call.out.extents;
  const Index rows = ceil_div(n.y, s.split);
  std::vector<Ready<Points<K, T, P>>> launches;
  for (Index y = 0; y < n.y; y += rows) {
    const Index y_end = std::min(n.y, y + rows);
    for_each_part({ceil_div(n.x, s.block.x), ceil_div(y_end - y, Index{s.block.y} * P.tile),
                   ceil_div(n.z, s.block.z)},
                  s.grid, [&](const GridMap& map, const Dim3& grid) {
                    launches.emplace_back(queue, LaunchShape{grid, s.block, 0},
                                          Points<K, T, P>{call, map, y, y_end, s.store});
                  });
  }
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
  const PointsVariant wanted = emulated ? PointsVariant{s.tile, s.loads, plain.store, plain.bounds}
                                        : PointsVariant{s.tile, s.loads, s.store, s.bounds};
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
  if (s.stage == Stage::bulk) return gpu::bind_march_of(queue, call, s);
  return gpu::bind_points_of(queue, call, s);
}

template <class K, class T, class Target>
const Offer Executor<K, T, Target>::offered = launch::offer<Executor, Call<K, T>>(kind_of<Target>,
                                                                                  this_source);

} // namespace ridge::stencil
