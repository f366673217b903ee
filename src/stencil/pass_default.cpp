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

bool has_inflow_values(const Boundaries& boundaries) {
  return std::any_of(boundaries.faces.begin(), boundaries.faces.end(), [](const auto& faces) {
    return std::any_of(faces.begin(), faces.end(), [](const Condition& c) {
      return c.kind == Boundary::neumann && !c.values.empty();
    });
  });
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

int pass_sweeps(const Traits& traits, bool moving, Index3 n) {
  constexpr Index many = 50'000'000; // points; of 384^3 three are faster, of 256^3 four
  const bool three = moving && traits.inputs() == 1 && traits.element_bytes == 8;
  return three && n.x * n.y * n.z > many ? 3 : 4;
}

namespace {

/// Waves in 16 bits between faces that do not move, on an H200. Cubes of 128 to 192 points
/// gained 1.4 to 2.5 times, of 384 and 512 1.2 to 1.4; 256 lost, 0.66 to 0.71: single sweeps there
/// are the copy engine's march, which smaller cubes do not take.
bool waves_in_16_bits_pay(const Traits& traits, Index points) {
  constexpr Index march_from = 230 * 230 * 230, march_until = 320 * 320 * 320;
  return traits.radius.z == 1 && (points < march_from || points > march_until);
}

} // namespace

bool pass_pays(const GpuPassSchedule& pass, const Traits& traits, const Boundaries& boundaries,
               bool moving, Index3 n, int units) {
  constexpr Index fewest = 3'500'000; // 128^3 lost, 160^3 gained
  constexpr int lanes = 32;
  constexpr int sector_bytes = 32;                           // that memory writes at a time
  constexpr int copied_bytes = 16;                           // likewise
  const int vector = 16 / std::max(traits.element_bytes, 4); // lanes compute with fp32 at least
  const bool x = goes_round(boundaries, 0);
  const bool y = goes_round(boundaries, 1);
  const Index r = 2 * Index{traits.radius.z};
  const Index points = (n.x - r) * (n.y - r) * (n.z - r);
  if (traits.element_bytes == 2 && traits.inputs() > 1)
    return !moving && waves_in_16_bits_pay(traits, points);
  if (points < fewest) return false;
  // Between the highest use that lost and the lowest that gained.
  double least = 0.32;                                         // 0.28 lost, 0.33 gained
  if (traits.inputs() > 1 && (x || y)) least = 0.42;           // of waves 0.34 lost, 0.43 gained
  if (traits.element_bytes == 4) least = x || y ? 0.48 : 0.36; // 0.45 and 0.49, 0.27 and 0.364
  if (traits.element_bytes == 4 && traits.inputs() > 1 && (x || y)) least = 0.51; // 0.49 and 0.52
  if (traits.element_bytes == 2) {
    if (moving) return false; // 512^3 lost
    least = 0.34;             // 0.26 and 0.35
  }
  const PassTiles tiles{lanes * vector,
                        pass.rows * pass.warps,
                        pass.sweeps * traits.radius.z,
                        traits.radius.z,
                        sector_bytes / traits.element_bytes,
                        copied_bytes / traits.element_bytes,
                        x,
                        y};
  return pass_use(tiles, n, std::max(units, 1)) >= least;
}

} // namespace ridge::stencil
