// Half a cycle on a level as one launch on a GPU.
#pragma once

#include "march_body.hpp"
#include "passes_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// The fastest of those measured (docs/design/solvers.md).
template <bool Up>
using Region = std::conditional_t<Up, MarchShape<32, 48, 4, 1>, MarchShape<64, 24, 4, 1>>;

template <class T>
void fits_march(Queue& queue, const FitsMarch<T>& f) {
  const auto& facts = queue.device().facts();
  const auto has_room = [&](auto up) {
    return plan_march<T, Region<up>, up>(f.transfer, f.points, facts.units,
                                         facts.shared_per_block.value)
               .shared_numbers > 0;
  };
  *f.fits = f.points.z >= fewest_planes && f.points.x * f.points.y < (Index{1} << 31) &&
            f.points.x * f.points.y * f.points.z >= fewest_points(facts) &&
            has_room(std::false_type()) && has_room(std::true_type());
}

template <class T, bool Up, class Operation>
void march(Queue& queue, const Operation& s) {
  const auto& facts = queue.device().facts();
  const MarchPlan plan = plan_march<T, Region<Up>, Up>(s.transfer, points_of(s.a.axes), facts.units,
                                                       facts.shared_per_block.value);
  launch_body(queue, plan.shape, MarchBody<T, Region<Up>, Up>{s, plan});
}
template <class T>
void way_down(Queue& queue, const WayDown<T>& s) {
  march<T, false>(queue, s);
}
template <class T>
void way_up(Queue& queue, const WayUp<T>& s) {
  march<T, true>(queue, s);
}

} // namespace grids::inline RIDGE_TARGET_NAME

} // namespace ridge::solve::detail
