// Half a cycle on a level as one launch on a GPU.
#pragma once

#include "march_body.hpp"
#include "march_cells.hpp"
#include "passes_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// The fastest of those measured (docs/design/solvers.md). A large tile computes less twice at its
/// edges; two blocks of a small one were faster on levels that take a large one no fewer steps. The
/// last one is for levels whose points weigh alike: without weights in registers a thread has a
/// cell. In fp64 its way down has registers for fewer rows. AMD's GPUs have no room for it.
template <class T, bool Up, bool Varied>
struct Tiles {
  using Large = std::conditional_t<Up, MarchShape<32, 48, 4, 1>, MarchShape<64, 24, 4, 1>>;
  using Small = MarchShape<32, 24, 4, 2>;
#if defined(RIDGE_TARGET_HIP)
  static constexpr int count = 2;
  using Cells = Small;
#else
  static constexpr int count = 3;
  using Cells = CellShape<!Up && sizeof(T) == 8 ? 24 : 32>;
#endif
  static constexpr bool is_for(int tile, bool is_in_cells) { return tile < 2 || is_in_cells; }
  /// Microseconds of a step on an H100, of levels beyond the cache and of those within.
  static constexpr double step(int tile, bool is_cached) {
    constexpr double ups[2][3] = {{1.57, 1.45, 1.6}, {1.57, 1.6, 1.5}};
    constexpr double downs[2][3] = {{1.75, 1.7, 1.45}, {1.75, 1.52, 1.3}};
    return (Up ? ups : downs)[is_cached][tile];
  }

  template <class Use>
  static decltype(auto) with(int tile, const Use& use) {
    return tile == 0 ? use(Large()) : tile == 1 ? use(Small()) : use(Cells());
  }
};
template <class T, bool Up>
struct Tiles<T, Up, true> {
  static constexpr int count = 1;
  template <class Use>
  static decltype(auto) with(int /*tile*/, const Use& use) {
    return use(MarchShape<32, 32, 4, 1>());
  }
};

template <class T, bool Up, bool Varied>
MarchPlan plan_here(Queue& queue, const std::array<StepTables<T>, 3>& transfer, Index3 n, int tile,
                    int units) {
  const Index shared = queue.device().facts().shared_per_block.value;
  return Tiles<T, Up, Varied>::with(tile, [&]<class Shape>(Shape) {
    return plan_march<T, Shape, Up, Varied>(transfer, n, units, shared);
  });
}
/// Multiprocessors by which tiles are chosen: of an emulated GPU one number for any cores.
inline int units_to_choose_by([[maybe_unused]] const DeviceFacts& facts) {
#if defined(RIDGE_TARGET_SIMT)
  return 2;
#else
  return facts.units;
#endif
}

template <class T>
void fits_march(Queue& queue, const FitsMarch<T>& f) {
  using Plain = Tiles<T, false, false>;
  const Index3 n = f.points;
  MarchChoice& choice = *f.choice;
  choice = {};
  const DeviceFacts& facts = queue.device().facts();
  const int units = units_to_choose_by(facts);
  const auto plan = [&](auto up, auto varied, int tile) {
    return plan_here<T, up, varied>(queue, f.transfer, n, tile, units);
  };
  using No = std::false_type;
  using Yes = std::true_type;
  const Index bytes = n.x * n.y * n.z * static_cast<Index>(sizeof(T));
  const bool is_cached = sizeof(T) == 4 || bytes <= facts.last_level_cache.value;
  const bool is_in_cells = f.is_uniform && f.transfer[0].halved != 0 && f.transfer[1].halved != 0 &&
                           f.transfer[2].halved != 0;
  double least[2] = {0, 0};
  for (int tile = 0; tile < Plain::count; ++tile) {
    if (!Plain::is_for(tile, is_in_cells) || (f.only >= 0 && f.only != tile)) continue;
    const MarchPlan down = plan(No(), No(), tile);
    const MarchPlan up = plan(Yes(), No(), tile);
    const auto is_faster = [](const MarchPlan& p, double step, double& best) {
      const double time = p.steps * step;
      if (p.shared_numbers == 0 || (best != 0 && time >= best)) return false;
      best = time;
      return true;
    };
    if (is_faster(down, Plain::step(tile, is_cached), least[0])) {
      choice.tile = tile;
      const Dim3 grid =
          plan_here<T, false, false>(queue, f.transfer, n, tile, facts.units).shape.grid;
      choice.parts = grid.x * grid.y;
    }
    if (is_faster(up, Tiles<T, true, false>::step(tile, is_cached), least[1]))
      choice.up_tile = tile;
  }
  const bool fits = n.z >= fewest_planes && (n.x + 2) * (n.y + 2) < (Index{1} << 31) &&
                    n.x * n.y * n.z >= fewest_points(facts);
  choice.plain = fits && least[0] > 0 && least[1] > 0;
  choice.varied =
      fits && plan(No(), Yes(), 0).shared_numbers > 0 && plan(Yes(), Yes(), 0).shared_numbers > 0;
}

template <class T, bool Up, bool Varied, class Operation>
void march(Queue& queue, const Operation& s) {
  const MarchPlan plan = plan_here<T, Up, Varied>(queue, s.transfer, points_of(s.a.axes), s.tile,
                                                  queue.device().facts().units);
  Tiles<T, Up, Varied>::with(s.tile, [&]<class Shape>(Shape) {
    if constexpr (requires { Shape::cells_wide; }) {
      launch_body(queue, plan.shape, CellsBody<T, Shape, Up>{{s, plan}});
    } else {
      launch_body(queue, plan.shape, MarchBody<T, Shape, Up, Varied>{{s, plan}});
    }
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
