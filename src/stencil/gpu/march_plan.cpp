#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/stencil/gpu/planning.hpp>
#include <ridge/stencil/march_limits.hpp>

#include "../../core/refuse.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ridge::stencil::gpu {

void check_march(const Device& device) {
  refuse_if(facts_of(device).bulk_copies_from == nullptr,
            "stage=bulk and stage=tiles need the bulk copy engine of NVIDIA GPUs from Hopper on");
  if (!can_march(device)) {
    throw UsageError("stage=bulk and stage=tiles need compute capability 9.0, and " +
                     to_text(device.id()) + " is " + device.facts().architecture);
  }
}

MarchVariant march_variant(const GpuSchedule& s, Store store, Rows rows) {
  MarchVariant v{s.block.x, s.block.y, s.tile, store, rows, s.loads == Loads::ascending};
  v.tiles = s.stage == Stage::tiles && rows != Rows::anywhere;
  if (v.tiles) v.rows = Rows::packs;
  if (rows == Rows::anywhere && s.loads == Loads::packs) v.rows = Rows::joined;
  return v;
}

TileMap march_tiles(const Device& device, const View<const char>& in, int element_bytes,
                    TileExtent extent) {
  const int one = counted_as_one(extent.x, element_bytes);
  const Index3 n{ceil_div(in.extents.x, one), in.extents.y, in.extents.z};
  return tile_map(device, {in.data, n, in.row / one, in.plane / one, one * element_bytes,
                           extent.x / one, extent.y});
}

MarchVariant window_variant(const GpuSchedule& s, Store store, Rows rows) {
  return {s.block.x, s.block.y, s.tile, store, rows == Rows::lines ? Rows::packs : rows};
}

void check_march_input(const void* data) {
  refuse_if(reinterpret_cast<std::uintptr_t>(data) % 16 != 0,
            "stage=bulk and stage=tiles need fields that begin at multiples of 16 bytes, or "
            "equally far behind them");
}

void check_tiled_inputs(int inputs) {
  if (inputs <= most_tiled_inputs) return;
  throw UsageError("stage=tiles takes kernels of at most " + std::to_string(most_tiled_inputs) +
                   " inputs, and this one has " + std::to_string(inputs) +
                   "; stage=bulk takes any number");
}

MarchLaunch plan_march(Queue& queue, const MarchFacts& facts, Offset r, Index3 n,
                       const RowsAt& rows, const GpuSchedule& s, const Resident& resident_blocks) {
  const Device& device = queue.device();
  const bool fetches_apart = facts.planes == 0;
  const int least_ring = facts.held + 2;
  if (fetches_apart && s.ring < least_ring) {
    throw UsageError("ring=" + std::to_string(s.ring) +
                     " is too short for this kernel, which takes " + std::to_string(least_ring) +
                     " or more");
  }
  const int ring = fetches_apart ? s.ring : facts.planes;
  const int shared =
      facts.header_bytes + ring * facts.stage_bytes - facts.spared_bytes + facts.target_bytes;
  if (shared > device.facts().shared_per_block.value) {
    throw UsageError((fetches_apart ? "ring=" + std::to_string(ring)
                                    : std::to_string(ring) + " planes of such blocks") +
                     (fetches_apart ? " needs " : " need ") + to_text(Bytes{shared}) +
                     " of shared memory, and a block can have " +
                     to_text(device.facts().shared_per_block));
  }

  MarchLaunch launch;
  MarchPlan& plan = launch.plan;
  plan.ring = ring;
  MarchUnits& units = plan.units;
  const Index interior_z = n.z - 2 * r.z;
  units.tile_x = facts.tile_x;
  units.tile_y = facts.tile_y;
  units.x_begin = rows.begin;
  units.x_first = rows.before + r.x;
  units.tiles_x = static_cast<int>(ceil_div(rows.before + n.x - r.x - rows.begin, facts.tile_x));
  units.tiles_y = static_cast<int>(ceil_div(n.y - 2 * r.y, facts.tile_y));
  units.y_first = r.y;
  units.z_first = r.z;
  units.z_end = n.z - r.z;
  units.planes = ceil_div(interior_z, s.chunks);
  const Index chunks = ceil_div(interior_z, units.planes);
  const Index count = Index{units.tiles_x} * units.tiles_y * chunks;
  if (count > (Index{1} << 30)) throw UsageError("more than 2^30 tiles; give fewer chunks");
  units.count = static_cast<int>(count);

  const int fetchers = fetches_apart ? device.facts().warp_width : 0;
  LaunchShape& shape = launch.shape;
  shape = {{1, 1, 1}, {facts.consumers + fetchers, 1, 1}, shared};
  const int resident = resident_blocks(shape);
  if (resident < 1) throw Failure("no block of this schedule fits a multiprocessor");
  shape.grid.x = std::min(resident, units.count);

  // Blocks that keep step must all be there; the emulated GPU runs one after the other.
  const bool can_wait = device.is_gpu();
  plan.pace.planes = s.pace;
  plan.pace.drift = can_wait ? s.drift : 0;
  plan.pace.steps = static_cast<int>(ceil_div(units.planes + 2 * r.z, s.pace));
  plan.pace.rounds = (units.count + shape.grid.x - 1) / shape.grid.x;
  if (plan.pace.drift > 0) {
    shape.together = true;
    const Index counters = Index{plan.pace.steps} * plan.pace.rounds + 1;
    if (counters > (Index{1} << 28)) throw UsageError("too many steps to keep; give drift=0");
    plan.passed = {static_cast<unsigned*>(queue.counters(Bytes{counters * 4})), counters};
  }
  return launch;
}

} // namespace ridge::stencil::gpu
