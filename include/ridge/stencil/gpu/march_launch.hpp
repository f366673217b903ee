// Launching a march: from a schedule to units, ring and pace.
#pragma once

#include <ridge/core/choose.hpp>
#include <ridge/core/error.hpp>
#include <ridge/launch/bound.hpp>
#include <ridge/stencil/gpu/march.hpp>
#include <ridge/stencil/march_limits.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME {

template <MarchVariant M, class K, class T>
Bound bind_march(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
  using Body = March<K, T, M>;
  using Tile = typename Body::Tile;
  constexpr Offset r = radius_of<K>();
  const Index3 n = call.out.extents;

  const int least_ring = Tile::held + 2;
  if (s.ring < least_ring) {
    throw UsageError("ring=" + std::to_string(s.ring) +
                     " is too short for this kernel, which takes " + std::to_string(least_ring) +
                     " or more");
  }
  const int shared = Tile::header_bytes + s.ring * Tile::stage_bytes + Body::Target::bytes;
  if (shared > queue.device().facts().shared_per_block.value) {
    throw UsageError("ring=" + std::to_string(s.ring) + " needs " + to_text(Bytes{shared}) +
                     " of shared memory, and a block can have " +
                     to_text(queue.device().facts().shared_per_block));
  }

  Body body{call, {}, s.ring, {}, {}, {}};
  MarchUnits& units = body.units;
  const Index interior_z = n.z - 2 * r.z;
  units.tile_x = Tile::tile_x;
  units.tile_y = Tile::tile_y;
  units.tiles_x = static_cast<int>(ceil_div(n.x, Tile::tile_x));
  units.tiles_y = static_cast<int>(ceil_div(n.y - 2 * r.y, Tile::tile_y));
  units.y_first = r.y;
  units.z_first = r.z;
  units.z_end = n.z - r.z;
  units.planes = ceil_div(interior_z, s.chunks);
  const Index chunks = ceil_div(interior_z, units.planes);
  const Index count = Index{units.tiles_x} * units.tiles_y * chunks;
  if (count > (Index{1} << 30)) throw UsageError("more than 2^30 tiles; give fewer chunks");
  units.count = static_cast<int>(count);

  for (int i = 0; i < inputs_of<K>; ++i) {
    body.misfit[i] =
        static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(call.in[i].data) % 128 / sizeof(T));
  }
  const int fetchers = queue.device().facts().warp_width;
  LaunchShape shape{{1, 1, 1}, {Tile::consumers + fetchers, 1, 1}, shared};
  const int resident = resident_blocks<Body>(queue, shape);
  if (resident < 1) throw Failure("no block of this schedule fits a multiprocessor");
  shape.grid.x = std::min(resident, units.count);

  // Blocks that keep step must all be there; the emulated GPU runs one after the other.
  const bool can_wait = queue.device().is_gpu();
  body.pace.planes = s.pace;
  body.pace.drift = can_wait ? s.drift : 0;
  body.pace.steps = static_cast<int>(ceil_div(units.planes + 2 * r.z, s.pace));
  body.pace.rounds = (units.count + shape.grid.x - 1) / shape.grid.x;
  if (body.pace.drift > 0) {
    shape.together = true;
    const Index counters = Index{body.pace.steps} * body.pace.rounds + 1;
    if (counters > (Index{1} << 28)) throw UsageError("too many steps to keep; give drift=0");
    body.passed = {static_cast<unsigned*>(queue.counters(Bytes{counters * 4})), counters};
  }
  return Bound(Ready<Body>(queue, shape, body));
}

/// Picks the compiled march of a schedule and the fields' alignment.
template <class K, class T>
Bound bind_march_of(Queue& queue, const Call<K, T>& call, const GpuSchedule& s) {
#if defined(RIDGE_TARGET_HIP)
  (void)queue, (void)call, (void)s;
  throw UsageError("stage=bulk needs the bulk copy engine of NVIDIA GPUs from Hopper on");
#else
  if constexpr (radius_of<K>().z == 0) {
    (void)queue, (void)call, (void)s;
    throw UsageError("stage=bulk marches in z, where this stencil reads no neighbours");
  } else {
    if (!can_march(queue.device())) {
      throw UsageError("stage=bulk needs compute capability 9.0, and " +
                       to_text(queue.device().id()) + " is " + queue.device().facts().architecture);
    }
    for (const auto& in : call.in) {
      if (reinterpret_cast<std::uintptr_t>(in.data) % 16 != 0) {
        throw UsageError("stage=bulk needs inputs that begin at a multiple of 16 bytes");
      }
    }
    using List = MarchList<K, T>;
    Bound bound;
    // Where results are stored makes no difference on the emulated GPU, where there are many
    // kernels to compile.
    constexpr bool emulated = std::is_same_v<Here, target::Simt>;
    const Store store = emulated ? Store::plain : s.store;
    choose_from<List>(MarchVariant{s.block.x, s.block.y, s.tile, store, rows_of(call)},
                      [&](auto i) {
                        constexpr MarchVariant chosen = List::values[decltype(i)::value];
                        if constexpr (!emulated || chosen.store == Store::plain)
                          bound = bind_march<chosen>(queue, call, s);
                      });
    return bound;
  }
#endif
}

} // namespace ridge::stencil::gpu::inline RIDGE_TARGET_NAME
