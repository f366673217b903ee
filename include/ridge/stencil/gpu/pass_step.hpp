// One step of a pass: a plane of each sweep.
//
// Sweep l computes plane k - l r in step k, so that all it reads of other warps was written a step
// before, and one barrier serves a step:
// - neighbours in x come from the lanes beside (shuffles);
// - in y from the lane's own rows, or from rows of the warps beside, which are all that goes
//   through shared memory, in two halves by turns;
// - in z from the lane's own registers.
#pragma once

#include <ridge/stencil/gpu/pass_copies.hpp>
#include <ridge/stencil/gpu/pass_held.hpp>
#include <ridge/stencil/gpu/pass_place.hpp>
#include <ridge/stencil/stored.hpp>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, GpuPassVariant P, PassMask M, class Lane>
struct PassStep {
  using Shape = PassShape<K, T, P>;
  using Copies = PassCopies<K, T, P>;
  using Held = PassHeld<K, T, P>;
  using Value = typename Shape::Value;
  using Number = typename Shape::Number;
  static constexpr int sweeps = Shape::sweeps;
  static constexpr int rows = Shape::rows;
  static constexpr int vector = Shape::vector;
  static constexpr int radius = Shape::radius;
  static constexpr int levels = Shape::levels;

  Lane& lane;
  const PassCall<K, T, P>& call;
  PassPlace<K, T, P>& place;
  Held& held;

  /// `k`: the newest plane of the input; `Phase`: k % turn, counted from where the job begins.
  template <int Phase>
  RIDGE_DEVICE void run(int k) const {
    PassTurns& turns = place.turns;
    const int row = Shape::row_elements(lane);
    const int slot = Shape::slot_elements(lane);
    auto planes = Shape::planes(lane);
    auto edges = Shape::edges(lane);
    place.forget();
    Copies::template fetch<M>(lane, call, place, k + Shape::ahead, Shape::ahead);
    Copies::wait(lane, place, planes);
    read_input<Phase>(planes);
    [[maybe_unused]] Value first_before[rows]; // the level before of the first sweep
    if constexpr (levels > 1) read_before(first_before);
    Value results[rows];
    unrolled<sweeps>([&](auto level) {
      constexpr int l = number<decltype(level)>;
      sweep<Phase, l>(k, planes, edges, first_before, results);
    });
    const bool result = (M != PassMask::all && !Shape::by_tiles && !P.moving) ||
                        (k - Shape::halo >= place.z_begin && k - Shape::halo < place.z_end);
    constexpr int centre = Held::template place_of_age<Phase>(radius);
    store(place.to, results, result);
    if constexpr (levels > 1) store(place.older_to, held.plane[centre][sweeps - 1], result);
    place.to = moved(place.to, call.plane());
    if constexpr (levels > 1) place.older_to = moved(place.older_to, call.plane());
    turns.slot = in_ring(Shape::ring * slot, turns.slot + slot);
    if constexpr (Shape::by_tiles) {
      turns.parity ^= turns.slot == 0 ? 1 : 0;
      lane.phase_wait(Shape::phase_of(lane, planes, 0), Shape::steps_phase,
                      turns.half == 0 ? 0 : 1);
    } else {
      lane.barrier();
    }
    turns.half = Shape::half_rows * row - turns.half;
  }

private:
  /// Values of shared memory.
  template <class Array>
  RIDGE_DEVICE Value load_values(Array& from, int at) const {
    return numbers_of(load_shared_values<vector>(lane, from, at));
  }
  /// Results as memory between single sweeps would bring them back.
  static RIDGE_DEVICE Value as_kept(const Value& value) {
    return numbers_of(elements_of<T>(value));
  }

  /// Rows of the warps beside, the nearest first.
  struct Beside {
    Value before[radius], behind[radius];
  };

  /// The newest plane, and those that are read again.
  template <int Phase, class Planes>
  RIDGE_DEVICE void read_input(Planes& planes) const {
    const int row = Shape::row_elements(lane);
    const int slot = Shape::slot_elements(lane);
    for_each_row<rows>([&](auto j) {
      held.plane[Phase][0][j] = load_values(planes, place.turns.slot + place.own + j * row);
    });
    unrolled<Shape::from_ring>([&](auto i) {
      constexpr int age = 2 * radius - i;
      const int older_slot =
          in_ring(Shape::ring * slot, place.turns.slot + (Shape::ring - age) * slot);
      for_each_row<rows>([&](auto j) {
        held.plane[Held::template place_of_age<Phase>(age)][0][j] =
            load_values(planes, older_slot + place.own + j * row);
      });
    });
  }

  RIDGE_DEVICE void read_before(Value (&first_before)[rows]) const {
    const int row = Shape::row_elements(lane);
    auto older_planes = Shape::older_planes(lane);
    const int at = place.turns.older + place.own - radius * row;
    for_each_row<rows>([&](auto j) { first_before[j] = load_values(older_planes, at + j * row); });
    const int size = Shape::older_elements(lane);
    place.turns.older = in_ring(Shape::older_ring * size, place.turns.older + size);
  }

  /// One plane of a sweep (0: the first), into what is held or, of the last sweep, the results.
  template <int Phase, int Level, class Array>
  RIDGE_DEVICE void sweep(int k, Array& planes, Array& edges, const Value (&first_before)[rows],
                          Value (&results)[rows]) const {
    Beside beside = read_beside<Level>(planes, edges);
    if constexpr (Level + 1 == sweeps) arrive(planes);
    if constexpr (P.moving && M == PassMask::all)
      held.template reflect_planes<Phase, Level>(call.faces, k - Level * radius);
    if constexpr (P.moving && (M == PassMask::all || M == PassMask::sides))
      reflect_rows<Phase, Level>(beside);
    [[maybe_unused]] const unsigned inside = inside_of<Level>(k);
    for_each_row<rows>([&](auto j) {
      const Value next = masked(j, inside, next_of_row<Phase, Level>(j, beside, first_before),
                                held.plane[Held::template place_of_age<Phase>(radius)][Level][j]);
      if constexpr (Level + 1 < sweeps) {
        held.plane[Phase][Level + 1][j] = next;
      } else {
        results[j] = next;
      }
    });
    if constexpr (Level + 1 < sweeps) hand_on<Phase, Level>(edges);
  }

  template <int Level, class Array>
  RIDGE_DEVICE Beside read_beside(Array& planes, Array& edges) const {
    constexpr int owned = Level == 0 ? rows : Shape::handed;
    const int row = Shape::row_elements(lane);
    const int slot = Shape::slot_elements(lane);
    const PassTurns& turns = place.turns;
    const int at =
        Level == 0
            ? in_ring(Shape::ring * slot, turns.slot + (Shape::ring - radius) * slot) + place.own
            : Shape::half_rows * row - turns.half + (Level - 1) * Shape::level_rows * row +
                  place.edge;
    auto& from = Level == 0 ? planes : edges;
    Beside beside;
    unrolled<radius>([&](auto m) {
      beside.before[m] = load_values(from, at - (m + 1) * row);
      beside.behind[m] = load_values(from, at + (owned + m) * row);
    });
    return beside;
  }

  /// All that this warp reads or writes of shared memory in this step is done: others need not wait
  /// until it has computed its results.
  template <class Planes>
  RIDGE_DEVICE void arrive(Planes& planes) const {
    if constexpr (Shape::by_tiles) {
      lane.warp_barrier();
      if (place.shares.first_of_warp())
        lane.phase_arrive(Shape::phase_of(lane, planes, 0), Shape::steps_phase);
    }
  }

  /// Gives points beyond faces in y their values.
  template <int Phase, int Level>
  RIDGE_DEVICE void reflect_rows(Beside& beside) const {
    constexpr int centre = Held::template place_of_age<Phase>(radius);
    if (!place.beside_y) return;
    call.faces.template reflect<rows>(1, place.y, [&](auto j) -> Value& {
      if constexpr (j < 0) {
        return beside.before[-1 - j];
      } else if constexpr (j < rows) {
        return held.plane[centre][Level][j];
      } else {
        return beside.behind[j - rows];
      }
    });
  }

  /// The kernel at all places of a row, whatever is to be computed of them.
  template <int Phase, int Level, class Row>
  RIDGE_DEVICE Value next_of_row(Row j, const Beside& beside,
                                 [[maybe_unused]] const Value (&first_before)[rows]) const {
    // Planes by their distance from the one that is computed, rows from the lane's first.
    const auto plane = [&](int dz, int y) -> const Value& {
      return held.plane[Held::template place_of_age<Phase>(radius - dz)][Level][y];
    };
    const auto row_at = [&](int y) -> const Value& {
      return y < 0 ? beside.before[-1 - y] : y < rows ? plane(0, y) : beside.behind[y - rows];
    };
    auto values = RowValues<Number, vector, radius>::around(lane, plane(0, j));
    if constexpr (P.moving && M == PassMask::all) {
      if (place.beside_x)
        call.faces.template reflect<vector>(0, place.x,
                                            [&](auto i) -> Number& { return values[i]; });
    }
    if constexpr (M == PassMask::low_x) call.faces.reflect_low(place.x, values);
    if constexpr (M == PassMask::high_x) call.faces.template reflect_high<1>(place.x, values);
    if constexpr (M == PassMask::sides) {
      const PassShares& shares = place.shares;
      call.faces.template reflect_row<vector>(shares.beyond_low(), shares.beyond_high(), place.x,
                                              values);
    }
    const auto u = [&](int dx, int dy = 0, int dz = 0) {
      check_declared<footprint_of<K, 0>>(lane, dx, dy, dz);
      if (dx != 0) return Value::make([&](int i) { return values[i + dx]; });
      if (dy != 0) return row_at(j + dy);
      return plane(dz, j);
    };
    const auto& kernel = static_cast<const typename Mathematics<K>::type&>(call.kernel);
    if constexpr (levels > 1) {
      const auto before_here = [&](int dx, int dy = 0, int dz = 0) {
        check_declared<point()>(lane, dx, dy, dz);
        // The sweep before reads these for the last time.
        if constexpr (Level == 0) {
          return first_before[j];
        } else {
          return held.plane[Held::template place_of_age<Phase>(2 * radius)][Level - 1][j];
        }
      };
      return as_if_loaded(as_kept(Value(kernel(u, before_here))));
    } else {
      return as_if_loaded(as_kept(Value(kernel(u))));
    }
  }

  /// Values, by row and place in the pack, that this sweep computes in this step.
  template <int Level>
  [[nodiscard]] RIDGE_DEVICE unsigned inside_of(int k) const {
    const int z = k - (Level + 1) * radius;
    return call.periodic_in(2) || (z >= Shape::r.z && z < call.in.extents.z - Shape::r.z)
               ? place.inside
               : 0;
  }

  /// `next` where the sweep computes it, elsewhere what was there. `inside`: of all rows.
  template <class Row>
  [[nodiscard]] RIDGE_DEVICE Value masked([[maybe_unused]] Row j, [[maybe_unused]] unsigned inside,
                                          const Value& next, Value kept) const {
    if constexpr (M != PassMask::along_x && M != PassMask::all) {
      return next;
    } else {
      unrolled<vector>([&](auto i) {
        constexpr int at = number<decltype(i)>;
        if constexpr (M == PassMask::along_x) {
          kept.lane[at] = chosen<by_mask>(constant<PassShares::inside_x_bit + at>,
                                          place.shares.bits(), next.lane[at], kept.lane[at]);
        } else {
          kept.lane[at] =
              chosen<by_mask>(bit_of<vector, at>(j), inside, next.lane[at], kept.lane[at]);
        }
      });
      return kept;
    }
  }
  /// With four values a lane, ptxas keeps so many outcomes of tests that it gives up: of two levels
  /// always, of one where it optimizes little.
  static constexpr bool by_mask = vector > 2;

  /// Rows that the next sweep reads of other warps in the next step.
  template <int Phase, int Level, class Edges>
  RIDGE_DEVICE void hand_on(Edges& edges) const {
    const int row = Shape::row_elements(lane);
    const int to = place.turns.half + Level * Shape::level_rows * row + place.edge;
    const auto& values = held.plane[Held::template place_of_age<Phase>(radius - 1)][Level + 1];
    if constexpr (Shape::handed == rows) {
      for_each_row<rows>(
          [&](auto j) { store_shared_pack(lane, edges, to + j * row, elements_of<T>(values[j])); });
    } else {
      store_shared_pack(lane, edges, to, elements_of<T>(values[0]));
      store_shared_pack(lane, edges, to + row, elements_of<T>(values[rows - 1]));
    }
  }

  /// Writes the results of a plane, if they are some. Packs are whole but at ends of rows.
  RIDGE_DEVICE void store(const Span<T>& to, const Value (&results)[rows], bool some) const {
    for_each_row<rows>([&](auto j) {
      if (some && place.shares.whole(j))
        put<P.store>(lane, to, j * call.row(), elements_of<T>(results[j]));
    });
    if constexpr (M != PassMask::none) {
      const unsigned parts = some ? place.parts : 0;
      for_each_row<rows>([&](auto j) {
        unrolled<vector>([&](auto i) {
          constexpr int at = number<decltype(i)>;
          put_chosen<P.store>(lane, bit_of<vector, at>(j), parts, to, j * call.row() + at,
                              element_of<T>(results[j].lane[at]));
        });
      });
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
