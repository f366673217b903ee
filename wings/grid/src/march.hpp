// Half a cycle on a level as one launch on a GPU.
#pragma once

#include "march_body.hpp"
#include "march_cells.hpp"
#include "passes_gpu.hpp"

namespace ridge::solve::detail {

namespace grids::inline RIDGE_TARGET_NAME {

/// The shapes of MarchTile. A large tile computes less twice at its edges. The last one is for
/// levels whose points weigh alike: without weights in registers a thread has two cells, on the way
/// down in fp64 one. AMD's GPUs have no room for it.
template <class T, bool Up, bool Varied>
struct Tiles {
  using Large = std::conditional_t<Up, MarchShape<32, 48, 4, 1>, MarchShape<64, 24, 4, 1>>;
  using Small = MarchShape<32, 24, 4, 2>;
#if defined(RIDGE_TARGET_HIP)
  static constexpr int count = 2;
  using Cells = Small;
#else
  static constexpr int count = 3;
  using Narrow = CellShape<48, 4>;
  using Wide = std::conditional_t<Up, CellShape<32, 4>, CellShape<24>>;
  using Cells = std::conditional_t<sizeof(T) == 4, Narrow, Wide>;
#endif
  static constexpr bool is_for(int tile, bool is_in_cells) {
    return tile < 2 || is_in_cells;
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
                    int units, const NeededPlanes& needed = {}) {
  const Index shared = queue.device().facts().shared_per_block.value;
  return Tiles<T, Up, Varied>::with(tile, [&]<class Shape>(Shape) {
    return plan_march<T, Shape, Up, Varied>(transfer, n, units, shared, needed);
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
  MarchFits& fits = *f.fits;
  fits = {};
  const DeviceFacts& facts = queue.device().facts();
  const auto plan = [&](auto up, auto varied, int tile, int units) {
    return plan_here<T, up, varied>(queue, f.transfer, f.points, tile, units, f.needed);
  };
  using No = std::false_type;
  using Yes = std::true_type;
  const int units = units_to_choose_by(facts);
  const bool is_in_cells = f.is_uniform && f.transfer[0].halved != 0 && f.transfer[1].halved != 0 &&
                           f.transfer[2].halved != 0;
  for (int tile = 0; tile < Plain::count; ++tile) {
    if (!Plain::is_for(tile, is_in_cells)) continue;
    const auto t = static_cast<std::size_t>(tile);
    fits.down[t] = plan(No(), No(), tile, units).steps;
    fits.up[t] = plan(Yes(), No(), tile, units).steps;
    const Dim3 grid = plan(No(), No(), tile, facts.units).shape.grid;
    fits.parts[t] = grid.x * grid.y;
  }
  fits.varied = plan(No(), Yes(), 0, units).steps > 0 && plan(Yes(), Yes(), 0, units).steps > 0;
}

template <class T, bool Up, bool Varied, class Operation>
void march(Queue& queue, const Operation& s) {
  const MarchPlan plan = plan_here<T, Up, Varied>(queue, s.transfer, points_of(s.a.axes), s.tile,
                                                  queue.device().facts().units, s.needed);
  Tiles<T, Up, Varied>::with(s.tile, [&]<class Shape>(Shape) {
    if constexpr (requires { Shape::cells_wide; }) {
      if (s.alike.mirrors != 0) {
        launch_body(queue, plan.shape, CellsBody<T, Shape, Up, true>{{s, plan}});
      } else {
        launch_body(queue, plan.shape, CellsBody<T, Shape, Up, false>{{s, plan}});
      }
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
