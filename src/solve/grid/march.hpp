// Half a cycle on a level as one launch on a GPU.
#pragma once

#include "march_body.hpp"
#include "passes_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// The fastest of those measured (docs/design/solvers.md). A large tile computes less twice at its
/// edges; two blocks of a small one were faster on levels that take a large one no fewer steps.
template <bool Up, bool Varied>
struct Tiles {
  using Large = std::conditional_t<Up, MarchShape<32, 48, 4, 1>, MarchShape<64, 24, 4, 1>>;
  using Small = MarchShape<32, 24, 4, 2>;
  static constexpr int count = 2;
  /// Microseconds of a step on an H100, of levels of 255^3 and 511^3 points.
  static constexpr double step(int tile) { return tile == 0 ? 1.66 : 1.55; }

  template <class Use>
  static decltype(auto) with(int tile, const Use& use) {
    return tile == 0 ? use(Large()) : use(Small());
  }
};
template <bool Up>
struct Tiles<Up, true> {
  static constexpr int count = 1;
  template <class Use>
  static decltype(auto) with(int /*tile*/, const Use& use) {
    return use(MarchShape<32, 32, 4, 1>());
  }
};

template <class T, bool Up, bool Varied>
MarchPlan plan_here(Queue& queue, const std::array<StepTables<T>, 3>& transfer, Index3 n,
                    int tile) {
  const auto& facts = queue.device().facts();
  return Tiles<Up, Varied>::with(tile, [&]<class Shape>(Shape) {
    return plan_march<T, Shape, Up, Varied>(transfer, n, facts.units, facts.shared_per_block.value);
  });
}

template <class T>
void fits_march(Queue& queue, const FitsMarch<T>& f) {
  using Plain = Tiles<false, false>;
  const Index3 n = f.points;
  MarchChoice& choice = *f.choice;
  choice = {};
  const auto plan = [&](auto up, auto varied, int tile) {
    return plan_here<T, up, varied>(queue, f.transfer, n, tile);
  };
  using No = std::false_type;
  using Yes = std::true_type;
  double least = 0;
  for (int tile = 0; tile < Plain::count; ++tile) {
    const MarchPlan down = plan(No(), No(), tile);
    const MarchPlan up = plan(Yes(), No(), tile);
    const bool is_meant = f.only < 0 || f.only == tile;
    if (!is_meant || down.shared_numbers == 0 || up.shared_numbers == 0) continue;
    const double time = (down.steps + up.steps) * Plain::step(tile);
    if (choice.parts != 0 && time >= least) continue;
    least = time;
    choice.tile = tile;
    choice.parts = down.shape.grid.x * down.shape.grid.y;
  }
  const bool fits = n.z >= fewest_planes && (n.x + 2) * (n.y + 2) < (Index{1} << 31) &&
                    n.x * n.y * n.z >= fewest_points(queue.device().facts());
  choice.plain = fits && choice.parts != 0;
  choice.varied =
      fits && plan(No(), Yes(), 0).shared_numbers > 0 && plan(Yes(), Yes(), 0).shared_numbers > 0;
}

template <class T, bool Up, bool Varied, class Operation>
void march(Queue& queue, const Operation& s) {
  const MarchPlan plan = plan_here<T, Up, Varied>(queue, s.transfer, points_of(s.a.axes), s.tile);
  Tiles<Up, Varied>::with(s.tile, [&]<class Shape>(Shape) {
    launch_body(queue, plan.shape, MarchBody<T, Shape, Up, Varied>{{s, plan}});
  });
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
