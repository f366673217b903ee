#include <ridge/stencil/gpu/planning.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace ridge::stencil::gpu {

namespace {

/// Grids beyond these numbers of blocks are launched in parts.
constexpr Index most_blocks[3] = {(Index{1} << 31) - 1, 65535, 65535};

/// The order as axis numbers, fastest first.
std::array<int, 3> axes_of(Order order) {
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

} // namespace

Loads points_loads(const GpuSchedule& s, Rows rows) {
  return rows == Rows::anywhere && s.loads == Loads::packs ? Loads::ascending : s.loads;
}

std::vector<PointsLaunch> plan_points(Index3 n, const GpuSchedule& s, Index x_first, int vector) {
  const Index rows = ceil_div(n.y, s.split);
  std::vector<PointsLaunch> launches;
  for (Index y = 0; y < n.y; y += rows) {
    const Index y_end = std::min(n.y, y + rows);
    for_each_part({ceil_div(n.x, Index{s.block.x} * vector),
                   ceil_div(y_end - y, Index{s.block.y} * s.tile), ceil_div(n.z, s.block.z)},
                  s.grid, [&](const GridMap& map, const Dim3& grid) {
                    launches.push_back({{map, y, y_end, x_first, s.store}, {grid, s.block, 0}});
                  });
  }
  return launches;
}

} // namespace ridge::stencil::gpu
