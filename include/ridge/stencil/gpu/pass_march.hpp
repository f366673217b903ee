// GPU executor of several sweeps in one pass: persistent blocks march through z with all sweeps at
// once.
//
// A warp is one row of the tile, a lane some neighbouring values of it, in as many rows as it owns.
// Of each sweep the 2 r planes that the next one still needs stay in registers, r the kernel's
// radius (pass_held.hpp); what a step does with them says pass_step.hpp. Each lane copies its own
// values of the input, asynchronously, into a ring of planes (pass_copies.hpp). Halos in x and y
// are computed again by the tiles beside, those beyond periodic faces, too. Points that no sweep
// computes keep what the input holds, and what is read beyond faces that reflect is one of the
// values at hand (pass_faces.hpp).
//
// Of kernels with two time levels, each sweep reads the level before at its own point: what the
// sweep before holds of that plane for the last time.
#pragma once

#include <ridge/device/launch.hpp>
#include <ridge/stencil/gpu/pass_step.hpp>

#include <type_traits>
#include <utility>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <class K, class T, GpuPassVariant P>
struct PassMarch {
  using Shape = PassShape<K, T, P>;
  using Copies = PassCopies<K, T, P>;
  using Place = PassPlace<K, T, P>;
  using Held = PassHeld<K, T, P>;
  static constexpr int widest_warp = std::is_same_v<Here, target::Simt> ? 64 : 32;
  static constexpr int max_threads = Shape::warps * widest_warp;
  static constexpr int min_blocks = 1;
  static constexpr const char* name = "stencil pass";

  PassCall<K, T, P> call;

  template <class Lane>
  RIDGE_DEVICE void operator()(Lane& lane) const {
    PassTurns turns;
    Copies::begin(lane);
    for (int j = next_job(lane); j < call.jobs.size; j = next_job(lane))
      march(lane, lane.load_written(call.jobs, j), turns);
    // The block that ends last leaves all as it was.
    if (lane.rank() == 0 && lane.atomic_add(call.taken, 1, 1) == lane.grid_extent().x - 1) {
      lane.store(call.taken, 0, 0);
      lane.store(call.taken, 1, 0);
    }
  }

private:
  /// Blocks take jobs as they come to them: some take longer than others, and some multiprocessors
  /// than others.
  template <class Lane>
  RIDGE_DEVICE int next_job(Lane& lane) const {
    auto next = Shape::job(lane);
    if (lane.rank() == 0) next[0] = lane.atomic_add(call.taken, 0, 1);
    lane.barrier();
    const int job = next[0];
    lane.barrier();
    return job;
  }

  template <class Lane>
  RIDGE_DEVICE void march(Lane& lane, const PassJob& job, PassTurns& turns) const {
    constexpr int halo = Shape::halo;
    const int begin = job.z_begin > halo || call.periodic_in(2) ? job.z_begin - halo : 0;
    Place p = Place::at_begin(lane, call, job, begin, turns);
    for (int i = 0; i < Shape::ahead; ++i) {
      Copies::template fetch<PassMask::all>(lane, call, p, begin + i, i);
    }
    Held held;
    held.clear();
    // From `clear` to before `until` no step has to care about ends of the field in z, nor, but for
    // masks along x and faces in x and y that move, about others; nor, where lanes copy between
    // faces that do not move, about ends of the job. What is read beyond faces in z that move is
    // known to others only.
    const int nz = static_cast<int>(call.in.extents.z);
    constexpr int beyond = P.moving ? Shape::radius : 0;
    constexpr bool any_end = Shape::by_tiles || P.moving;
    const bool within = begin > 0 || call.periodic_in(2);
    int clear = any_end && within ? begin : job.z_begin + halo + beyond;
    if (p.edges == PassMask::all) clear = job.z_end + 2 * halo;
    int until = nz;
    if constexpr (P.moving) {
      until = call.periodic_in(2) ? job.z_end + halo + Shape::turn : nz - beyond;
    } else if constexpr (!Shape::by_tiles) {
      const int last = p.planes_end - Shape::ahead;
      until = job.z_end + halo < last ? job.z_end + halo : last;
      if (nz < until) until = nz;
    }
    // Warps of a block go different ways here, all of as many steps.
    int k = begin;
    RIDGE_NO_UNROLL
    for (; k < job.z_end + halo; k += Shape::turn) {
      if (k < clear || k + Shape::turn > until) {
        steps<PassMask::all>(lane, p, held, k);
      } else if (Shape::has_sides && p.edges == PassMask::sides) {
        if constexpr (Shape::has_sides) steps<PassMask::sides>(lane, p, held, k);
      } else if (Shape::has_ends && p.edges == PassMask::round) {
        if constexpr (Shape::has_ends) steps<PassMask::round>(lane, p, held, k);
      } else if (Shape::has_ends && p.edges == PassMask::low_x) {
        if constexpr (Shape::has_ends) steps<PassMask::low_x>(lane, p, held, k);
      } else if (Shape::has_ends && p.edges == PassMask::high_x) {
        if constexpr (Shape::has_ends) steps<PassMask::high_x>(lane, p, held, k);
      } else if (Shape::takes_tiles && p.edges == PassMask::along_x) {
        if constexpr (Shape::takes_tiles) steps<PassMask::along_x>(lane, p, held, k);
      } else {
        steps<PassMask::none>(lane, p, held, k);
      }
    }
    store_needed(lane, p, k - halo);
    turns = p.turns;
  }

  /// Stores once more what other ranks need of a job's results. `next` is the plane that `p.to` has
  /// come to. Steps that did so would take a fifth more instructions beside faces.
  template <class Lane>
  RIDGE_DEVICE void store_needed(Lane& lane, const Place& p, int next) const {
    RIDGE_NO_UNROLL
    for (int side = 0; side < 2; ++side) {
      const auto& needed = call.needed[side];
      const int end = needed.end < p.z_end ? needed.end : p.z_end;
      RIDGE_NO_UNROLL
      for (int z = needed.begin > p.z_begin ? needed.begin : p.z_begin; z < end; ++z) {
        const Index back = Index{z - next} * call.plane();
        store_again(lane, p, moved(p.to, back), needed.further);
        if constexpr (Shape::levels > 1)
          store_again(lane, p, moved(p.older_to, back), needed.older_further);
      }
    }
  }

  /// Stores the lane's own results in a plane once more, so many elements further in memory.
  template <class Lane>
  RIDGE_DEVICE void store_again(Lane& lane, const Place& p, const Span<T>& results,
                                Index further) const {
    constexpr int vector = Shape::vector;
    const Span<T> to = elsewhere(results, further);
    RIDGE_NO_UNROLL
    for (int j = 0; j < Shape::rows; ++j) {
      const Index at = Index{j} * call.row();
      const auto result = [&](int i) { return lane.load_written(results, at + i); };
      if (p.shares.whole(j)) put<P.store>(lane, to, at, Pack<T, vector>::make(result));
      RIDGE_NO_UNROLL
      for (int i = 0; i < vector; ++i) {
        if ((p.parts >> (j * vector + i) & 1u) != 0) lane.store(to, at + i, result(i));
      }
    }
  }

  /// As many steps as it takes until all planes are in the same registers: which those are is
  /// compiled in.
  template <PassMask M, class Lane>
  RIDGE_DEVICE void steps(Lane& lane, Place& p, Held& held, int k) const {
    const PassStep<K, T, P, M, Lane> step{lane, call, p, held};
    if constexpr (std::is_same_v<Here, target::Simt>) {
      // One function for all phases, which takes a third of the time to compile: here the
      // planes move on instead.
      for (int i = 0; i < Shape::turn; ++i) {
        step.template run<0>(k + i);
        held.move_on();
      }
    } else {
      unrolled<Shape::turn>([&](auto phase) {
        constexpr int i = number<decltype(phase)>;
        step.template run<i>(k + i);
      });
    }
  }
};

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
