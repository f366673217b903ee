// GPU executor "window": blocks march through z with their columns in registers, on GPUs with or
// without a bulk copy engine.
//
// Every lane loads the packs it computes and keeps the planes around the one that is computed in
// registers. What lanes read of other columns passes through shared memory. On GPUs that copy into
// shared memory by themselves all planes come that way, three at a time (window_copies.hpp); on
// others lanes load a plane while the one before is computed (window_loads.hpp). What is written to
// shared memory meanwhile is read later, so that one barrier serves a plane. Tiles, chunks and
// steps are those of stage=bulk, and so is what makes it fast:
// - accesses of 16 bytes, and whole sectors at the ends of rows (march_ends.hpp);
// - blocks stay on their multiprocessor and advance in step, so that the halos that two of them
//   share are read from memory once.
#pragma once

#include <ridge/stencil/gpu/march_ends.hpp>
#include <ridge/stencil/gpu/march_steps.hpp>
#include <ridge/stencil/gpu/window_copies.hpp>
#include <ridge/stencil/gpu/window_loads.hpp>

#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, MarchVariant M>
struct WindowMarch {
  /// For this target. Waves of 64 lanes are those of AMD GPUs: the emulated GPU that has them runs
  /// what these run, and needs less.
  static constexpr bool copies = !std::is_same_v<Here, target::Hip>;
  using Tile = WindowTile<K, T, M, copies>;
  using Ends = MarchEnds<K, T, M, Tile>;
  template <class Lane>
  using Loads = std::conditional_t<Lane::has_async_copy && Lane::warp_width == 32,
                                   WindowCopies<K, T, M>, WindowLoads<K, T, M>>;
  static constexpr int max_threads = Tile::consumers;
  static constexpr bool constant_width = true; // for its loads
  static constexpr const char* name = "stencil window";

  Call<K, T> call;
  MarchPlan plan;

  static constexpr MarchFacts march_facts() {
    MarchFacts f{Tile::tile_x, Tile::tile_y, Tile::consumers, 0, 0, Tile::stage_bytes, Ends::bytes};
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
    auto edges = lane.template shared<T>(Tile::ring * Tile::stage_bytes, Ends::elements);
    MarchSteps steps(plan, lane.block().x, lane.grid_extent().x);
    typename Loads<Lane>::Place place{rank % Tile::threads_x, rank / Tile::threads_x, 0};
    for (int u = lane.block().x; u < plan.units.count; u += lane.grid_extent().x) {
      steps.begin(plan, u);
      MarchUnits units = plan.units;
      units.tiles_x = anew_for_all(units.tiles_x);
      march(lane, planes, edges, steps, place, unit_at(units, u));
      steps.end(lane, plan, rank == 0);
    }
    if (steps.kept() && rank < Lane::warp_width) steps.clear(lane, plan, rank, Lane::warp_width);
  }

private:
  static constexpr Offset r = radius_of<K>();

  template <class Lane, class Planes, class Edges, class Place>
  RIDGE_DEVICE void march(Lane& lane, Planes& planes, Edges& edges, MarchSteps& steps, Place& place,
                          const MarchUnit& unit) const {
    using Moved = typename Loads<Lane>::Tile;
    const int rank = anew(lane.rank());
    const Index x = unit.x_begin + place.tx * Tile::vector;
    const Index y = unit.y_begin + place.ty * M.tile;
    const int planes_here = Tile::planes_of(unit);
    Loads<Lane> loads(call, unit, rank, x, y);
    MarchEnds<K, T, M, Moved> target(call.out, x, y, place.ty * M.tile, unit);
    typename Moved::Own column{};
    const auto ends_of = [&](int k) { // of the results that need plane k last
      if (k >= Tile::lead) target.ask(lane, call.out, edges, k - Tile::lead - target.plane());
    };
    loads.begin(lane, call, planes, column, place, ends_of);
    RIDGE_NO_UNROLL
    for (int k = 0; k < planes_here; ++k) {
      if (steps.begins_step() && rank == 0) steps.wait(lane, plan);
      // Not behind the plane: the counter that this asks for has until then to come
      // (docs/design/stencils_on_gpus.md).
      steps.pass_plane(lane, plan, rank == 0);
      loads.arrive(lane);
      lane.barrier();
      loads.begin_plane(lane, call, planes, column, place, k, ends_of);
      typename Tile::Results results;
      if (k >= Tile::lead) Moved::compute_plane(lane, call, planes, column, place, results);
      loads.end_plane(lane, planes, column, place);
      if (k >= Tile::lead) {
        target.put(lane, call.out, edges, results);
        target.advance(call.out);
      }
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
