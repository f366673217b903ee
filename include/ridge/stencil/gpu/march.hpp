// GPU executor "march": blocks march through z with the planes around them in shared memory.
//
// One warp of each block fetches, by bulk copies of whole rows or of a whole tile, into a ring of
// planes of each input; the other warps wait for a plane, compute, and give the oldest plane back.
// Where tiles are tall, a copy a plane is faster than one a row. Blocks stay
// on their multiprocessor and take one column of tiles after the other. What makes this reach the
// speed of a copy (docs/design/stencils_on_gpus.md has the measurements):
// - rows lie in shared memory at the same distance from a 128-byte boundary as in the field, so
//   that a copy never splits a memory sector in two;
// - blocks advance in step: none starts a plane before all have finished the one `drift` steps
//   before, so that the halo rows that two blocks share are read from memory once;
// - inputs are marked to stay in the L2 in preference to results;
// - results are written in whole sectors (march_target.hpp), after the plane has been given
//   back.
#pragma once

#include <ridge/device/lane.hpp>
#include <ridge/device/tile_copy.hpp>
#include <ridge/stencil/call.hpp>
#include <ridge/stencil/gpu/march_steps.hpp>
#include <ridge/stencil/gpu/march_target.hpp>
#include <ridge/stencil/gpu/march_tile.hpp>

#include <array>
#include <type_traits>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

/// Maps of the inputs where their planes come as tiles.
template <int Inputs, bool Tiles>
struct MarchMaps {};
template <int Inputs>
struct MarchMaps<Inputs, true> {
  std::array<KernelTileMap, Inputs> of;
};

template <class K, class T, MarchVariant M>
struct March {
  using Tile = MarchTile<K, T, M>;
  using Target = MarchTarget<K, T, M>;
  /// Lanes of numbers in 16 bits have twice the points of fp32, and would take the registers of a
  /// third block.
  static constexpr bool three_blocks = sizeof(T) == 2 && M.tile <= 2 && Tile::vector > 1 &&
                                       Tile::carries&& Tile::r.z == 1 && !Tile::joins;
  static constexpr int min_blocks = three_blocks ? 3 : 0;
#if defined(RIDGE_TARGET_CUDA)
  static constexpr int widest_warp = three_blocks ? 32 : 64;
#else
  static constexpr int widest_warp = 64;
#endif
  static constexpr int max_threads = Tile::consumers + widest_warp;
  static constexpr const char* name = "stencil march";

  Call<K, T> call;
  MarchPlan plan;
  std::array<unsigned, inputs_of<K>> misfit; ///< elements from a 128-byte boundary to the field
  MarchMaps<inputs_of<K>, M.tiles> maps;

  static constexpr MarchFacts march_facts() {
    return {Tile::tile_x,       Tile::tile_y,      Tile::consumers, Tile::held,
            Tile::header_bytes, Tile::stage_bytes, Target::bytes,   0,
            Tile::spared_bytes};
  }
  static constexpr BodyFacts facts() {
    BodyFacts f = body_facts<March>();
    f.misfit_offset = f.plan_offset + static_cast<int>(sizeof(plan));
    f.march = march_facts();
    if constexpr (M.tiles) {
      const int behind_misfit = f.misfit_offset + static_cast<int>(sizeof(misfit));
      f.maps_offset = behind(static_cast<std::size_t>(behind_misfit), alignof(decltype(maps)));
      const TileExtent* const extents = Tile::tile_extents.data();
      for (int i = 0; i < inputs_of<K> && i < most_tiled_inputs; ++i)
        f.tiles[i] = extents[i];
    }
    return f;
  }

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    if constexpr (Lane::has_bulk_copy) {
      auto full = lane.template shared<PhaseBarrier>(0, plan.ring);
      auto empty = lane.template shared<PhaseBarrier>(Tile::most_ring * 8, plan.ring);
      if (lane.rank() == 0) {
        for (int s = 0; s < plan.ring; ++s) {
          lane.phase_begin(full, s, M.tiles ? 1 : lane.width());
          lane.phase_begin(empty, s, Tile::consumers);
        }
      }
      lane.barrier();
      auto planes = lane.template shared<T>(Tile::header_bytes, Tile::ring_elements(plan.ring));
      if (lane.rank() >= Tile::consumers) {
        fetch(lane, planes, full, empty);
      } else {
        compute(lane, planes, full, empty);
      }
    }
  }

private:
  static constexpr Offset r = radius_of<K>();

  // --- the fetching warp

  template <class Lane, class Planes, class Bars>
  RIDGE_DEVICE void fetch(Lane& lane, Planes& planes, Bars& full, Bars& empty) const {
    const int me = lane.rank() - Tile::consumers;
    MarchSteps steps(plan, lane.block().x, lane.grid_extent().x);
    if constexpr (M.tiles) {
      if (me == 0) fetch_tiles(lane, planes, full, empty, steps);
    } else {
      fetch_rows(lane, me, planes, full, empty, steps);
    }
    if (steps.kept()) steps.clear(lane, plan, me, lane.width());
  }

  /// By the warp's first lane alone.
  template <class Lane, class Planes, class Bars>
  RIDGE_DEVICE void fetch_tiles(Lane& lane, Planes& planes, Bars& full, Bars& empty,
                                MarchSteps& steps) const {
    typename Tile::Slots slots;
    int parity = 1; // the first pass over the ring finds it empty
    for (int u = lane.block().x; u < plan.units.count; u += lane.grid_extent().x) {
      const MarchUnit unit = unit_at(plan.units, u);
      steps.begin(plan, u);
      for (Index z = unit.z_begin - r.z; z < unit.z_end + r.z; ++z) {
        if (steps.begins_step()) steps.wait(lane, plan);
        lane.phase_wait(empty, slots.newest(), parity);
        int bytes = 0;
        unrolled<inputs_of<K>>([&](auto input) {
          constexpr int i = number<decltype(input)>;
          if (reads<i>(unit, z)) bytes += Tile::template tile_bytes<i>;
        });
        lane.phase_arrive_expecting(full, slots.newest(), bytes);
        unrolled<inputs_of<K>>([&](auto input) {
          constexpr int i = number<decltype(input)>;
          if (!reads<i>(unit, z)) return;
          constexpr int one = counted_as_one(Tile::template least_pitch_of<i>,
                                             static_cast<int>(sizeof(T)));
          copy_tile(lane, full, slots.newest(), planes,
                    Tile::template plane_at<i>(plan.ring, slots.template of<i>()), maps.of[i],
                    (static_cast<int>(unit.x_begin) - Tile::template lead_of<i>) / one,
                    static_cast<int>(unit.y_begin) - Tile::template reach<i>.y,
                    static_cast<int>(z) - Tile::template late_of<i>);
        });
        steps.pass_plane(lane, plan, true);
        slots.advance(plan.ring, parity);
      }
      steps.end(lane, plan, true);
    }
  }

  /// A row of a plane a lane, or several.
  template <class Lane, class Planes, class Bars>
  RIDGE_DEVICE void fetch_rows(Lane& lane, int me, Planes& planes, Bars& full, Bars& empty,
                               MarchSteps& steps) const {
    typename Tile::Slots slots;
    int parity = 1; // the first pass over the ring finds it empty
    for (int u = lane.block().x; u < plan.units.count; u += lane.grid_extent().x) {
      const MarchUnit unit = unit_at(plan.units, u);
      FetchedRows rows;
      steps.begin(plan, u);
      for (Index z = unit.z_begin - r.z; z < unit.z_end + r.z; ++z) {
        if (steps.begins_step()) {
          if (me == 0) steps.wait(lane, plan);
          lane.warp_barrier();
        }
        lane.phase_wait(empty, slots.newest(), parity);
        fetch_plane(lane, me, planes, full, slots, unit, rows, z);
        steps.pass_plane(lane, plan, me == 0);
        slots.advance(plan.ring, parity);
      }
      steps.end(lane, plan, me == 0);
    }
  }

  /// The rows that a lane fetches of a plane, one of the tile's a pass.
  template <int I>
  static constexpr int passes = (Tile::template rows_of<I> + 31) / 32;
  static constexpr int most_passes = (Tile::rows + 31) / 32;
  using FetchedRows = std::array<std::array<MarchRow, most_passes>, inputs_of<K>>;

  RIDGE_DEVICE void find_rows(FetchedRows& rows, int warp_width, int me, const MarchUnit& unit,
                              Index z) const {
    unrolled<inputs_of<K>>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      unrolled<passes<i>>([&](auto pass) {
        const int j = pass * warp_width + me;
        const Index y = unit.y_begin - Tile::template reach<i>.y + j;
        rows[i][pass] = {};
        if (j >= Tile::template rows_of<i> || y >= call.out.extents.y) return;
        rows[i][pass] = Tile::template row_at<i>(call.in[i], misfit[i], j, unit, y,
                                                 z - Tile::template late_of<i>);
      });
    });
  }

  /// One row of the tile a lane: whole 16-byte pieces by bulk copy, what is left at the very end of
  /// the field by hand. `rows` are those of the plane before, and become those of this one.
  template <class Lane, class Planes, class Bars>
  RIDGE_DEVICE void fetch_plane(Lane& lane, int me, Planes& planes, Bars& full,
                                const typename Tile::Slots& slots, const MarchUnit& unit,
                                FetchedRows& rows, Index z) const {
    if (Tile::shifted || z == unit.z_begin - r.z || z == call.out.extents.z - 1) {
      find_rows(rows, lane.width(), me, unit, z);
    } else {
      unrolled<inputs_of<K>>([&](auto input) {
        constexpr int i = number<decltype(input)>;
        unrolled<passes<i>>([&](auto pass) { rows[i][pass].from += call.in[i].plane; });
      });
    }
    int bytes = 0;
    unrolled<inputs_of<K>>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      if (!reads<i>(unit, z)) return;
      const int to = Tile::template plane_at<i>(plan.ring, slots.template of<i>());
      unrolled<passes<i>>([&](auto pass) {
        const MarchRow& mine = rows[i][pass];
        bytes += mine.count * static_cast<int>(sizeof(T));
        if constexpr (reads_last_row<K>()) {
          for (int e = mine.count; e < mine.count + mine.rest; ++e) {
            planes[to + mine.to + e] = lane.load(call.in[i].elements(), mine.from + e);
          }
        }
      });
    });
    lane.phase_arrive_expecting(full, slots.newest(), bytes);
    unrolled<inputs_of<K>>([&](auto input) {
      constexpr int i = number<decltype(input)>;
      if (!reads<i>(unit, z)) return;
      const int to = Tile::template plane_at<i>(plan.ring, slots.template of<i>());
      unrolled<passes<i>>([&](auto pass) {
        const MarchRow& mine = rows[i][pass];
        if (mine.count > 0) {
          lane.bulk_copy(full, slots.newest(), planes, to + mine.to, call.in[i].elements(),
                         mine.from, mine.count);
        }
      });
    });
  }

  /// Whether the results of a unit need the plane of input I that comes with plane `z`: not the
  /// first of inputs that are read less far.
  template <int I>
  static RIDGE_DEVICE bool reads(const MarchUnit& unit, Index z) {
    return Tile::template late_of<I> == 0 ||
           z >= unit.z_begin + r.z - 2 * Tile::template reach<I>.z;
  }

  // --- the computing warps

  template <class Lane, class Planes, class Bars>
  RIDGE_DEVICE void compute(Lane& lane, Planes& planes, Bars& full, Bars& empty) const {
    const int me = lane.rank();
    const int tx = me % Tile::threads_x;
    const int ty = me / Tile::threads_x;
    auto edges = lane.template shared<T>(Tile::header_bytes + Tile::ring_elements(plan.ring) *
                                                                  static_cast<int>(sizeof(T)),
                                         Target::elements);
    typename Tile::Slots slots;
    int parity = 0;
    const auto release = [&](int s) {
      lane.fence_bulk(); // what was read here is read before the copy that comes next
      // Each for itself: as fast as one a warp, and an order that racecheck follows.
      lane.phase_arrive(empty, s);
    };
    for (int u = lane.block().x; u < plan.units.count; u += lane.grid_extent().x) {
      const MarchUnit unit = unit_at(plan.units, u);
      typename Tile::Carried carried{};
      typename Tile::Sums sums{};
      const int planes_here = static_cast<int>(unit.z_end - unit.z_begin) + 2 * r.z;
      const Index x = unit.x_begin + tx * Tile::vector;
      const Index y = unit.y_begin + ty * M.tile;
      Target target(call.out, x, y, ty * M.tile, unit);
      target.begin(lane, call.out, edges);
      if constexpr (Tile::kept > 0) {
        // Planes before those of the first result have a loop of their own: carried values that
        // come together from several branches would be copied twice a plane. Other marches take
        // fewer registers in one loop.
        const auto pass = [&](int p, auto complete) {
          lane.phase_wait(full, slots.newest(), parity);
          const Index z = unit.z_begin + p - 2 * r.z;
          const typename Tile::Place place{x, y, z, tx, ty, slots, plan.ring, unit.z_begin};
          typename Tile::Results results;
          if constexpr (complete) {
            Tile::compute_plane(lane, call, planes, misfit, place, carried, results);
          } else if (p >= r.z - Tile::kept) {
            const auto centre = Tile::centre_of(lane, call, planes, misfit, place, carried);
            Tile::carry(lane, call, planes, misfit, place, centre, carried);
          }
          if (complete || p >= Tile::held) release(wrapped(slots.newest() - Tile::held));
          if constexpr (complete) target.store(lane, call.out, edges, results);
          slots.advance(plan.ring, parity);
        };
        for (int p = 0; p < 2 * r.z; ++p)
          pass(p, std::false_type{});
        for (int p = 2 * r.z; p < planes_here; ++p)
          pass(p, std::true_type{});
      } else {
        for (int p = 0; p < planes_here; ++p) {
          lane.phase_wait(full, slots.newest(), parity);
          const Index z = unit.z_begin + p - 2 * r.z; // whose neighbours are now complete
          const typename Tile::Place place{x, y, z, tx, ty, slots, plan.ring, unit.z_begin};
          typename Tile::Results results;
          if constexpr (Tile::parts) {
            Tile::add_parts(lane, call, planes, misfit, place, sums, results);
          } else if (p >= 2 * r.z) {
            Tile::compute_plane(lane, call, planes, misfit, place, carried, results);
          } else if (p >= r.z) {
            const auto centre = Tile::centre_of(lane, call, planes, misfit, place, carried);
            Tile::carry(lane, call, planes, misfit, place, centre, carried);
          }
          if (p >= Tile::held) release(wrapped(slots.newest() - Tile::held));
          if (p >= 2 * r.z) target.store(lane, call.out, edges, results);
          slots.advance(plan.ring, parity);
        }
      }
      for (int back = Tile::held < planes_here ? Tile::held : planes_here; back > 0; --back) {
        release(wrapped(slots.newest() - back));
      }
    }
  }

  RIDGE_DEVICE int wrapped(int slot) const {
    return slot < 0 ? slot + plan.ring : slot;
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
