// GPU executor "window": blocks march through z with their columns in registers, on GPUs with or
// without a bulk copy engine.
//
// Every lane loads the packs it computes, a plane before they are read, and keeps the planes around
// the one that is computed in registers. What lanes read of other columns passes through shared
// memory; of it, too, a plane is written while the one before is read, so that one barrier serves a
// plane. Tiles, chunks and steps are those of stage=bulk, and so is what makes it fast:
// - accesses of 16 bytes, and whole sectors at the ends of rows (window_target.hpp);
// - blocks stay on their multiprocessor and advance in step, so that the halos that two of them
//   share are read from memory once.
#pragma once

#include <ridge/stencil/gpu/march_steps.hpp>
#include <ridge/stencil/gpu/window_loads.hpp>
#include <ridge/stencil/gpu/window_target.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, MarchVariant M>
struct WindowMarch {
  using Tile = WindowTile<K, T, M>;
  static constexpr int max_threads = Tile::consumers;
  static constexpr const char* name = "stencil window";

  Call<K, T> call;
  MarchPlan plan;

  static constexpr MarchFacts march_facts() {
    MarchFacts f{Tile::tile_x, Tile::tile_y, Tile::consumers, 0, 0, Tile::stage_bytes, 0};
    f.planes = Tile::ring;
    return f;
  }
  static constexpr BodyFacts facts() {
    BodyFacts f = body_facts<WindowMarch>();
    f.march = march_facts();
    return f;
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    const int rank = lane.rank();
    auto planes = lane.template shared<T>(0, Tile::ring * Tile::stage_elements);
    MarchSteps steps(plan, lane.block().x, lane.grid_extent().x);
    typename Tile::Place place{rank % Tile::threads_x, rank / Tile::threads_x, 0};
    for (int u = lane.block().x; u < plan.units.count; u += lane.grid_extent().x) {
      steps.begin(plan, u);
      MarchUnits units = plan.units;
      units.tiles_x = anew_for_all(units.tiles_x);
      march(lane, planes, steps, place, unit_at(units, u));
      steps.end(lane, plan, rank == 0);
    }
    if (steps.kept() && rank < Lane::warp_width) steps.clear(lane, plan, rank, Lane::warp_width);
  }

private:
  static constexpr Offset r = radius_of<K>();

  template <class Lane, class Planes>
  RIDGE_DEVICE void march(Lane& lane, Planes& planes, MarchSteps& steps,
                          typename Tile::Place& place, const MarchUnit& unit) const {
    const int rank = anew(lane.rank());
    const Index x = unit.x_begin + place.tx * Tile::vector;
    const Index y = unit.y_begin + place.ty * M.tile;
    const int planes_here = Tile::planes_of(unit);
    WindowLoads<K, T, M> loads(call, unit, rank, x, y);
    WindowTarget<K, T, M> target(call.out, x, y, unit);
    typename Tile::Own column{};
    loads.ask(lane, call, 0);
    loads.take(lane, planes, column, place);
    target.ask(lane, call.out);
    RIDGE_NO_UNROLL
    for (int k = 0; k < planes_here; ++k) {
      if (steps.begins_step() && rank == 0) steps.wait(lane, plan);
      lane.barrier();
      loads.ask(lane, call, k + 1);
      typename Tile::Results results;
      if (k >= Tile::lead) Tile::compute_plane(lane, call, planes, column, place, results);
      if (++place.slot == Tile::ring) place.slot = 0;
      // Before results are stored: AMD GPUs would wait for these, too.
      loads.take(lane, planes, column, place);
      if (k >= Tile::lead) target.store(lane, call.out, results);
      if (k >= Tile::lead && k + 1 < planes_here) target.ask(lane, call.out);
      steps.pass_plane(lane, plan, rank == 0);
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
