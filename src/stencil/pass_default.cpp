#include "pass_default.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace ridge::stencil {

namespace {

bool goes_round(const Boundaries& boundaries, std::size_t axis) {
  return boundaries.faces[axis][0].kind == Boundary::periodic;
}

} // namespace

bool round_alike(const Traits& traits, const Boundaries& boundaries) {
  const Offset r = traits.radius;
  bool alike = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int radius = axis == 0 ? r.x : axis == 1 ? r.y : r.z;
    for (const Condition& c : boundaries.faces[axis]) {
      const bool beyond =
          c.kind == Boundary::neumann || (c.kind == Boundary::dirichlet && radius > 1);
      alike = alike && !(beyond && radius > 0 && (c.value != 0 || !c.values.empty()));
    }
  }
  return alike || traits.element_bytes >= 4;
}

double pass_use(const PassTiles& tiles, Index3 n, int blocks) {
  std::priority_queue<Index, std::vector<Index>, std::greater<>> ends; // of the blocks, in planes
  for (int block = 0; block < blocks; ++block)
    ends.push(0);
  Index last = 0;
  for (const PassJob& job : plan_pass(tiles, n, blocks)) {
    const Index end = ends.top() + job.z_end - job.z_begin + 2 * Index{tiles.halo};
    ends.pop();
    ends.push(end);
    last = std::max(last, end);
  }
  const Index r = 2 * Index{tiles.radius};
  const auto results = static_cast<double>((n.x - r) * (n.y - r) * (n.z - r));
  const auto computed = static_cast<double>(last * blocks * tiles.x * tiles.y);
  return computed > 0 ? results / computed : 0;
}

bool pass_pays_between_moving_faces(const GpuPassSchedule& pass, const Traits& traits,
                                    const Boundaries& boundaries, Index3 n, int units) {
  constexpr Index fewest = 7'000'000;            // 192^3 were measured, and gained
  constexpr Index fewest_around = (1 << 24) + 1; // 256^3 lost
  constexpr double use_around = 0.56;            // 0.48 lost, 0.60 gained
  constexpr double use_of_many = 0.5;            // between other faces, of many points
  constexpr double shell_in_points = 4e6;        // what single sweeps' shell costs beside them
  constexpr int lanes = 32;
  constexpr int sector_bytes = 32;                           // that memory writes at a time
  const int vector = 16 / std::max(traits.element_bytes, 4); // lanes compute with fp32 at least
  const bool x = goes_round(boundaries, 0);
  const bool y = goes_round(boundaries, 1);
  const PassTiles tiles{lanes * vector,
                        pass.rows * pass.warps,
                        pass.sweeps * traits.radius.z,
                        traits.radius.z,
                        sector_bytes / traits.element_bytes,
                        vector,
                        x,
                        y};
  const Index r = 2 * Index{traits.radius.z};
  const Index points = (n.x - r) * (n.y - r) * (n.z - r);
  const bool around = x || y || goes_round(boundaries, 2);
  if (points < (around ? fewest_around : fewest)) return false;
  const double use = pass_use(tiles, n, std::max(units, 1));
  if (x || y) return use >= use_around;
  const auto all = static_cast<double>(points);
  return use >= use_of_many * all / (all + shell_in_points);
}

} // namespace ridge::stencil
