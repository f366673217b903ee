#include <ridge/core/error.hpp>
#include <ridge/core/named.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/stencil/launch.hpp>
#include <ridge/stencil/pass_executor.hpp>
#include <ridge/stencil/pass_launch.hpp>
#include <ridge/stencil/pass_variants.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::stencil {

std::string to_text(const PassSchedule& schedule) {
  return text::print_held(schedule);
}

PassSchedule plain_pass(DeviceKind kind) {
  if (!facts_of(kind).takes_gpu_schedules) return CpuPassSchedule{};
  return GpuPassSchedule{};
}

namespace {

/// The #define that names the variant a schedule needs; none on a cpu.
std::string definition_of(DeviceKind kind, const PassSchedule& schedule, bool moving_faces) {
  const auto* const s = std::get_if<GpuPassSchedule>(&schedule);
  if (s == nullptr) return {};
  const GpuPassVariant v = variant_of(*s, moving_faces, facts_of(kind).is_emulated);
  return fmt::format("#define RIDGE_STENCIL_GPU_PASS {}, {}, {}, Store::{}, {}\n", v.sweeps, v.rows,
                     v.warps, text::value_to_text(v.store), v.moving);
}

} // namespace

launch::Demand detail::demand_of_pass(const Device& device, const PassSchedule& schedule,
                                      bool moving_faces, const launch::CallTypes& types) {
  const std::string kernel = launch::type_text(types.kernel);
  const std::string precision = launch::type_text(types.precision);
  launch::Demand made =
      launch::detail::demand_of(types.call, "stencil", kernel, precision,
                                definition_of(device.kind(), schedule, moving_faces));
  made.executor = "ridge/stencil/pass_executor.hpp";
  made.instantiation = fmt::format(
      "template struct ridge::stencil::PassExecutor<{}, {}, ridge::Here>;", kernel, precision);
  return made;
}

bool is_pass_ahead(const Device& device, const Traits& traits, const PassSchedule& schedule,
                   bool moving_faces) {
  if (traits.passes == nullptr) return false;
  AnyFunction const found = find_offer(device.kind(), *traits.passes);
  if (found == nullptr) return false;
  const auto* const s = std::get_if<GpuPassSchedule>(&schedule);
  if (s == nullptr) return true;
  const bool emulated = facts_of(device.kind()).is_emulated;
  return reinterpret_cast<HasPass*>(found)(variant_of(*s, moving_faces, emulated));
}

int sweeps_of(const PassSchedule& schedule) {
  return std::visit([](const auto& s) { return s.sweeps; }, schedule);
}

PassSchedule with_sweeps(PassSchedule schedule, int sweeps) {
  std::visit([&](auto& s) { s.sweeps = sweeps; }, schedule);
  return schedule;
}

namespace {

/// What zeros stand for.
GpuPassShape shape_of(const GpuPassSchedule& s, const Device& device, const Traits& traits) {
  return pass_shape(s.rows, s.warps, usual_pass_shape(s.sweeps, traits.inputs(), traits.radius.z),
                    device.facts().warp_width);
}

} // namespace

PassSchedule settled(PassSchedule schedule, const Device& device, const Traits& traits, Index3 n) {
  if (auto* const gpu = std::get_if<GpuPassSchedule>(&schedule)) {
    const GpuPassShape shape = shape_of(*gpu, device, traits);
    gpu->rows = shape.rows;
    gpu->warps = shape.warps;
  }
  auto* const s = std::get_if<CpuPassSchedule>(&schedule);
  if (s == nullptr) return schedule;
  const Offset r = traits.radius;
  const bool along_y = n.z == 1;
  const int threads = s->threads > 0 ? s->threads : ridge::cpu::default_threads();
  const Index rows = along_y ? n.z - 2 * r.z : n.y - 2 * r.y;
  const Index planes = along_y ? n.y - 2 * r.y : n.z - 2 * r.z;
  if (s->rows == 0) {
    const Index ring =
        (2 * (along_y ? r.y : r.z) + 1) * (s->sweeps - 1) * n.x * traits.element_bytes;
    // A thread's share of the last-level cache, of which the fields' own rows need some, too.
    const Index room = std::max(device.facts().l2.value * 3 / 4,
                                device.facts().last_level_cache.value / (8 * threads));
    const Index fit = room / std::max<Index>(ring, 1) - Index{s->sweeps} * (along_y ? r.z : r.y);
    const Index share = ceil_div(rows, threads);
    s->rows = static_cast<int>(std::clamp<Index>(fit, std::min<Index>(8, share), share));
  }
  if (s->planes == 0) {
    // Where there are too few rows for all threads, the march is cut, too.
    const Index blocks = ceil_div(rows, s->rows);
    const Index parts = blocks >= threads ? 1 : ceil_div(threads, blocks);
    s->planes = static_cast<int>(ceil_div(planes, parts));
  }
  return schedule;
}

PassSchedule shortened(const PassSchedule& schedule, int sweeps, const Device& device,
                       const Traits& traits, Index3 extents) {
  PassSchedule shorter = with_sweeps(schedule, sweeps);
  const auto* const gpu = std::get_if<GpuPassSchedule>(&schedule);
  if (gpu == nullptr) return shorter;
  GpuPassSchedule unsaid = *gpu;
  unsaid.rows = unsaid.warps = 0;
  const GpuPassShape usual = shape_of(unsaid, device, traits);
  if (usual != GpuPassShape{gpu->rows, gpu->warps}) return shorter;
  return settled(with_sweeps(unsaid, sweeps), device, traits, extents);
}

void detail::require_pass(const Traits& traits, int levels, Index3 n, int sweeps) {
  if (sweeps < std::max(2, levels)) {
    throw UsageError(
        fmt::format("a pass of {} sweeps; it has at least {}", sweeps, std::max(2, levels)));
  }
  refuse_if(
      n.y == 1 && n.z == 1,
      "sweeps={}: several sweeps in one pass need two or three dimensions; sweeps=1 takes one",
      sweeps);
  const Index size[3] = {n.x, n.y, n.z};
  const int radius[3] = {traits.radius.x, traits.radius.y, traits.radius.z};
  for (int axis = 0; axis < 3; ++axis) {
    const Index least = 2 * Index{radius[axis]} + 1;
    const Index computed = size[axis] - 2 * Index{radius[axis]};
    refuse_if(radius[axis] > 0 && computed < least,
              "sweeps={}: {} points to compute along {}; several sweeps in one pass need at least "
              "{}; sweeps=1 takes any",
              sweeps, computed, "xyz"[axis], least);
  }
}

Record detail::record_of_pass(const Device& device, const Traits& traits, int levels, Index3 n,
                              const PassSchedule& schedule, std::string_view kernel) {
  Record record = record_of(device, traits, n, CpuSchedule{}, kernel);
  const int sweeps = sweeps_of(schedule);
  record.schedule = to_text(schedule);
  record.work.written = {record.work.written.value * levels};
  record.work.flops *= sweeps;
  record.work.items *= sweeps;
  record.work.convention =
      fmt::format("{}; of {} sweeps in one pass", record.work.convention, sweeps);
  return record;
}

} // namespace ridge::stencil
