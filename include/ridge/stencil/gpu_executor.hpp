// The stencil pattern on GPUs: from a schedule to a compiled variant and its launches.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/gpu_march_launch.hpp>
#include <ridge/stencil/gpu_points.hpp>

#include <algorithm>

namespace ridge::stencil {

namespace gpu::inline RIDGE_TARGET_NAME {

/// Which compile-time values of a schedule a kernel is compiled for.
template <class K>
using Tiles = std::conditional_t<has_whole_space<K>, AllTiles,
                                 std::conditional_t<is_flat(radius_of<K>()), FlatTiles, FewTiles>>;
template <class K>
using LoadOrders =
    std::conditional_t<has_whole_space<K> || is_flat(radius_of<K>()),
                       Choices<Loads::stencil, Loads::ascending>, Choices<Loads::stencil>>;
template <class K>
using BoundsList = std::conditional_t<has_whole_space<K>, Choices<1024, 256>, Choices<1024>>;
using Stores = Choices<Store::plain, Store::nontemporal>;

/// The launch bounds a kernel is compiled with. On the emulated GPU, where they change nothing, one
/// kernel serves all, for there are many to compile.
constexpr int compiled_bounds(int bounds) {
#if defined(RIDGE_TARGET_SIMT)
  (void)bounds;
  return 1024;
#else
  return bounds;
#endif
}

/// "1, 4", for messages.
template <auto... Values>
std::string list_of(Choices<Values...>) {
  return text::describe(text::one_of(Values...));
}

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
void run_points(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  const Index3 n = call.out.extents;
  const Index rows = ceil_div(n.y, s.split);
  for (Index y = 0; y < n.y; y += rows) {
    const Index y_end = std::min(n.y, y + rows);
    for_each_part({ceil_div(n.x, s.block.x), ceil_div(y_end - y, Index{s.block.y} * P.tile),
                   ceil_div(n.z, s.block.z)},
                  s.grid, [&](const GridMap& map, const Dim3& grid) {
                    launch_body(queue, {grid, s.block, 0}, Points<K, T, P>{call, map, y, y_end});
                  });
  }
}

/// Picks the compiled points kernel of a schedule and runs it.
template <class K, class T>
void run_points_of(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  const bool compiled = choose(s.tile, Tiles<K>{}, [&](auto tile) {
    const bool loads_known = choose(s.loads, LoadOrders<K>{}, [&](auto loads) {
      const bool bounds_known = choose(s.bounds, BoundsList<K>{}, [&](auto bounds) {
        choose(s.store, Stores{}, [&](auto store) {
          run_points<PointsVariant{tile, loads, store, compiled_bounds(bounds)}>(queue, call, s);
        });
      });
      if (!bounds_known) throw UsageError("this kernel is compiled for bounds=1024 only");
    });
    if (!loads_known) throw UsageError("this kernel is compiled for loads=stencil only");
  });
  if (!compiled) throw UsageError("this kernel is compiled for tile=" + list_of(Tiles<K>{}));
}

} // namespace gpu::inline RIDGE_TARGET_NAME

template <class K, class T, class Target>
void Executor<K, T, Target>::run(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  static_assert(std::is_same_v<Target, Here>, "instantiate executors for ridge::Here");
  if (s.stage == Stage::bulk) {
    gpu::run_march_of(queue, call, s);
  } else {
    gpu::run_points_of(queue, call, s);
  }
}

} // namespace ridge::stencil
