// Half a cycle on a level as one launch on a GPU.
#pragma once

#include "march_body.hpp"
#include "passes_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// The fastest of those measured (docs/design/solvers.md).
template <bool Up, bool Varied>
using Region =
    std::conditional_t<Varied, MarchShape<32, 32, 4, 1>,
                       std::conditional_t<Up, MarchShape<32, 48, 4, 1>, MarchShape<64, 24, 4, 1>>>;

template <class T, bool Up, bool Varied>
MarchPlan plan_here(Queue& queue, const std::array<StepTables<T>, 3>& transfer, Index3 n) {
  const auto& facts = queue.device().facts();
  return plan_march<T, Region<Up, Varied>, Up, Varied>(transfer, n, facts.units,
                                                       facts.shared_per_block.value);
}

template <class T>
void fits_march(Queue& queue, const FitsMarch<T>& f) {
  const Index3 n = f.points;
  const auto has_room = [&](auto up, auto varied) {
    return plan_here<T, up, varied>(queue, f.transfer, n).shared_numbers > 0;
  };
  using No = std::false_type;
  using Yes = std::true_type;
  *f.fits = n.z >= fewest_planes && (n.x + 2) * (n.y + 2) < (Index{1} << 31) &&
            n.x * n.y * n.z >= fewest_points(queue.device().facts()) && has_room(No(), No()) &&
            has_room(Yes(), No()) && has_room(No(), Yes()) && has_room(Yes(), Yes());
  const Dim3 blocks = plan_here<T, false, false>(queue, f.transfer, n).shape.grid;
  *f.parts = blocks.x * blocks.y;
}

template <class T, bool Up, bool Varied, class Operation>
void march(Queue& queue, const Operation& s) {
  const MarchPlan plan = plan_here<T, Up, Varied>(queue, s.transfer, points_of(s.a.axes));
  launch_body(queue, plan.shape, MarchBody<T, Region<Up, Varied>, Up, Varied>{s, plan});
}
template <class T, bool Up, class Operation>
void march(Queue& queue, const Operation& s) {
  s.a.k.size == 0 ? march<T, Up, false>(queue, s) : march<T, Up, true>(queue, s);
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
