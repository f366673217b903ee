#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/record/operations.hpp>
#include <ridge/stencil/march_limits.hpp>
#include <ridge/stencil/model_access.hpp>

#include <algorithm>
#include <set>

namespace ridge::stencil {

namespace {

using model::Description;
using model::StencilAccess;

std::vector<std::vector<Index3>> points_of(const Traits& traits) {
  std::vector<std::vector<Index3>> footprints;
  for (const auto& offsets : traits.footprints) {
    auto& points = footprints.emplace_back();
    for (const Offset& o : offsets)
      points.push_back({o.x, o.y, o.z});
  }
  return footprints;
}

/// Values a thread has in registers at once: the window of its tile where it loads all before it
/// computes, else one point's neighbours. A compiler that brings loads and points of a tile
/// together again has about half of the window at a time.
int values_held(const Traits& traits, const GpuSchedule& s, DeviceKind kind) {
  std::size_t values = 0;
  for (const auto& offsets : traits.footprints) {
    if (s.loads == Loads::stencil || s.tile == 1) {
      values += offsets.size();
      continue;
    }
    std::set<std::array<int, 3>> window;
    for (const Offset& o : offsets) {
      for (int i = 0; i < s.tile; ++i)
        window.insert({o.x, o.y + i, o.z});
    }
    values += facts_of(kind).gathers_loads ? (window.size() + 1) / 2 : window.size();
  }
  return static_cast<int>(values);
}

/// Registers beside values: addresses, extents, sums. With them the formula gives those of the
/// published kernels (docs/model.md).
constexpr int registers_around = 10;

/// Order::yzx is {1, 2, 0}.
std::array<int, 3> axes_of(Order order) {
  const std::string_view name = enum_names(Order{})[static_cast<std::size_t>(order)];
  return {name[0] - 'x', name[1] - 'x', name[2] - 'x'};
}

/// What a row of a tile takes of its neighbours on each side: a sector.
constexpr Index halo_bytes = 32;

/// Whether rows begin where marches copy them without gaps in the ring: at lines, and as tiles at
/// 16 bytes.
bool starts_in_packs(const Traits& traits, const GpuSchedule& s, Index3 n) {
  return n.x * traits.element_bytes % (s.stage == Stage::tiles ? 16 : 128) == 0;
}

/// Blocks in step are at most `drift` steps of `pace` planes apart, half of that on average.
void describe_march(StencilAccess& a, const Traits& traits, const GpuSchedule& s, Index3 n,
                    DeviceKind kind) {
  const bool packs = n.x * traits.element_bytes % 16 == 0 || s.loads == Loads::packs;
  a.block = {s.block.x * (packs ? 16 / traits.element_bytes : 1), Index{s.block.y} * s.tile, 1};
  a.threads = static_cast<int>(s.block.count()) + 32; // a warp that fetches
  a.shared_bytes =
      march_ring_bytes(s, traits, starts_in_packs(traits, s, n)) + march_fixed_bytes(s);
  a.marches = true;
  a.march.copies = facts_of(kind).copies_past_registers;
  const Index row = a.block.x * traits.element_bytes;
  for (const auto& offsets : traits.footprints) {
    Index beyond = 0; // rows around the tile
    bool beside = false;
    for (const Offset& o : offsets) {
      beyond = std::max<Index>(beyond, std::abs(o.y));
      beside = beside || o.x != 0;
    }
    const Index rows = a.block.y + 2 * beyond;
    a.march.rows += s.stage == Stage::tiles ? 1.0 : static_cast<double>(rows); // copies of a plane
    a.march.plane_bytes += static_cast<double>(rows * (row + (beside ? 2 * halo_bytes : 0)));
  }
  a.march.plane_bytes += static_cast<double>(a.block.y * row);
  a.march.chunks = s.chunks;
  a.march.planes_apart = s.drift > 0 ? std::max(1, s.drift * s.pace / 2) : 0;
}

/// Registers of a thread under stage=window: its columns and the planes on their way, its results
/// and what is kept beside them, packs around the tile, and addresses. Of what compilers make of
/// the built-in kernels (docs/design/stencils_on_gpus.md).
int window_registers(const Traits& traits, const GpuSchedule& s, DeviceKind kind) {
  constexpr int pack = 4;                                                // registers
  const int on_their_way = facts_of(kind).copies_past_registers ? 0 : 1; // else in shared memory
  const int radius = traits.radius.z;
  int packs = 2 * s.tile;
  for (const auto& offsets : traits.footprints) {
    const bool planes =
        std::any_of(offsets.begin(), offsets.end(), [](const Offset& o) { return o.z != 0; });
    packs += s.tile * ((planes ? 2 * radius + 1 : 1) + on_their_way);
    const Index around = 2 * (traits.radius.y * s.block.x + traits.radius.x * s.block.y * s.tile);
    if (offsets.size() > 1)
      packs += on_their_way * static_cast<int>(ceil_div(around, s.block.count()));
  }
  return 45 + pack * packs;
}

void describe_window(StencilAccess& a, const Traits& traits, const GpuSchedule& s, Index3 n,
                     DeviceKind kind) {
  describe_march(a, traits, s, n, kind);
  a.threads = static_cast<int>(s.block.count());
  a.bounds = a.threads;
  a.shared_bytes = window_bytes(s, traits, kind);
  a.registers = window_registers(traits, s, kind);
  a.march.marks_inputs = false;
}

bool has_bulk_copy(const Description& device) {
  return is_from(device.architecture, facts_of(device.kind).bulk_copies_from);
}

/// `packed`: rows begin where planes are copied without gaps (starts_in_packs).
bool fits(const Traits& traits, const GpuSchedule& s, const Description& device, bool packed) {
  if (s.stage == Stage::none) return true;
  if (s.stage == Stage::window) {
    const double registers = static_cast<double>(window_registers(traits, s, device.kind));
    return registers <= device.registers_per_thread &&
           registers * static_cast<double>(s.block.count()) <= device.registers_per_unit &&
           static_cast<double>(window_bytes(s, traits, device.kind)) <=
               device.shared_bytes_per_unit;
  }
  if (s.stage == Stage::tiles && !can_tile(traits, s.block.x, s.block.y * s.tile)) return false;
  if (!has_bulk_copy(device) || traits.radius.z == 0 || s.ring < planes_held(traits, s.loads) + 2) {
    return false;
  }
  const double bytes =
      static_cast<double>(march_ring_bytes(s, traits, packed) + march_fixed_bytes(s));
  return bytes <= device.shared_bytes_per_unit - 1024;
}

} // namespace

StencilAccess model_access(const Traits& traits, const GpuSchedule& s, Index3 n, DeviceKind kind) {
  StencilAccess a;
  a.footprints = points_of(traits);
  a.radius = {traits.radius.x, traits.radius.y, traits.radius.z};
  a.extents = n;
  a.element_bytes = traits.element_bytes;
  a.work = work_of(traits, n);
  a.tile = s.tile;
  a.keeps_stores = s.store == Store::plain;
  a.bounds = s.bounds;
  a.registers = registers_around + values_held(traits, s, kind) * traits.element_bytes / 4;
  if (copies_in_bulk(s.stage)) {
    describe_march(a, traits, s, n, kind);
    return a;
  }
  if (s.stage == Stage::window) {
    describe_window(a, traits, s, n, kind);
    return a;
  }
  const bool packs = s.loads == Loads::packs && n.x * traits.element_bytes % 16 == 0;
  const int vector = packs ? 16 / traits.element_bytes : 1;
  a.registers = registers_around + vector * values_held(traits, s, kind) * traits.element_bytes / 4;
  a.block = {Index{s.block.x} * vector, Index{s.block.y} * s.tile, s.block.z};
  a.threads = static_cast<int>(s.block.count());
  a.walk = axes_of(s.grid);
  a.split = s.split;
  // Loads by ascending address come plane by plane.
  a.waits_between_planes = s.loads != Loads::stencil && facts_of(kind).waits_between_planes;
  return a;
}

model::BlockedLoops model_loops(const Traits& traits, const CpuSchedule& s, Index3 n, int cores) {
  model::BlockedLoops loops;
  loops.footprints = points_of(traits);
  loops.radius = {traits.radius.x, traits.radius.y, traits.radius.z};
  loops.extents = n;
  loops.element_bytes = traits.element_bytes;
  loops.work = work_of(traits, n);
  loops.rows = s.rows;
  loops.planes = s.planes;
  loops.depth = s.depth;
  loops.keeps_stores = s.store == Store::plain;
  loops.threads = s.threads > 0 ? s.threads : cores;
  return loops;
}

Prediction predict(const Traits& traits, const Schedule& schedule, Index3 extents,
                   const Description& device) {
  Prediction p;
  if (const auto* const cpu = std::get_if<CpuSchedule>(&schedule)) {
    if (device.is_gpu()) throw UsageError("this schedule is for the cpu, not for " + device.name);
    p.traffic = model::traffic_of(
        model_loops(traits, *cpu, extents, static_cast<int>(device.units)), device);
    if (device.copy_bytes_per_second > 0) { // measured: a device file has it
      model::Needs needs;
      needs.moved = p.traffic.fetched + p.traffic.written;
      needs.flops = known_or_none(work_of(traits, extents).flops);
      needs.element_bytes = traits.element_bytes;
      p.time = model::time_of(needs, device);
    }
    return p;
  }
  const auto& gpu = std::get<GpuSchedule>(schedule);
  const bool fitting = fits(traits, gpu, device, starts_in_packs(traits, gpu, extents));
  if (!device.is_gpu()) throw UsageError("this schedule is for a GPU, not for " + device.name);
  if (!fitting && gpu.stage == Stage::window) {
    throw UsageError("a block of '" + to_text(schedule) +
                     "' has too much in registers or shared memory for " + device.name +
                     "; smaller ones have less");
  }
  if (!fitting) {
    throw UsageError("stage=bulk and stage=tiles need a bulk copy engine (NVIDIA, sm_90 on), a "
                     "kernel that reads "
                     "in z, and a ring that fits the shared memory: not so on " +
                     device.name + " with '" + to_text(schedule) + "'");
  }
  const StencilAccess access = model_access(traits, gpu, extents, device.kind);
  p.traffic = model::traffic_of(access, device);
  p.time = model::time_of(access, device, p.traffic);
  return p;
}

std::vector<GpuSchedule> model_space(const Traits& traits, const Description& device) {
  std::vector<GpuSchedule> all = text::space<GpuSchedule>();
  std::erase_if(all, [&](const GpuSchedule& s) {
    return (copies_in_bulk(s.stage) ? s.loads != march_loads(traits)
                                    : s.loads == Loads::packs && !in_packs(s, traits)) ||
           !fits(traits, s, device, false); // in rows of any length
  });
  return all;
}

GpuSchedule model_choice(const Traits& traits, Index3 extents, const Description& device) {
  GpuSchedule best;
  Prediction least = predict(traits, best, extents, device);
  for (const GpuSchedule& s : model_space(traits, device)) {
    // Both move the same bytes, and the engine does it with fewer instructions.
    if (s.stage == Stage::window && has_bulk_copy(device)) continue;
    Prediction p = predict(traits, s, extents, device);
    const double time = p.time->seconds.value;
    const double to_beat = least.time->seconds.value;
    const bool equal = time <= to_beat * 1.0001 && time >= to_beat * 0.9999;
    if (equal ? p.traffic.fetched_high < least.traffic.fetched_high * 0.9999 : time < to_beat) {
      best = s;
      least = std::move(p);
    }
  }
  return best;
}

} // namespace ridge::stencil
