#include <ridge/model/time.hpp>
#include <ridge/record/operations.hpp>

#include "reach.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

/// Instructions of a thread beside loads, stores and arithmetic: where it is, and its checks.
constexpr double instructions_around = 24;

/// Warp instructions of the launch: two for each element requested (its address and itself), one
/// for each two operations (a fused multiply-add), and those around them.
double warp_instructions(const StencilAccess& access, const Description& device,
                         const Traffic& traffic) {
  const double points = static_cast<double>(access.work.items);
  const double elements = traffic.requested / access.element_bytes;
  const double threads = points / access.tile;
  return (2 * elements + known_or_none(access.work.flops) / 2 + instructions_around * threads) /
         device.warp_width;
}

/// Seconds that the blocks take when each lives as long as its loads' latencies at least.
double latency_seconds(const StencilAccess& access, const Description& device) {
  double blocks = 1;
  for (int a = 0; a < 3; ++a)
    blocks *= static_cast<double>(ceil_div(along(access.extents, a), along(access.block, a)));
  const double rounds = std::ceil(blocks / resident_blocks(access, device));
  double cycles = device.memory_latency_cycles;
  if (access.waits_between_planes) {
    const auto planes = distances_along(access.footprints.front(), 2).size();
    cycles += static_cast<double>(planes - 1) * device.cache_latency_cycles;
  }
  return rounds * cycles / device.clock_hz;
}

/// What a march by copies takes on an H200, of the Laplacian's whole spaces at nine sizes
/// (docs/results/h200/tune/space.csv, docs/model.md). A block waits so many cycles for a plane
/// beside the copies; a unit hands out a copy of a row, however long, in so many, and so many bytes
/// a cycle.
constexpr double plane_cycles = 600;
constexpr double row_cycles = 47;
constexpr double copied_bytes_per_cycle = 135;

} // namespace

Copying copying_of(const StencilAccess& access, const Description& device) {
  if (!access.marches || !access.march.copies) return {};
  const auto along_axis = [](Index points, Index radius, Index block) {
    return static_cast<double>(ceil_div(std::max<Index>(points - 2 * radius, 1), block));
  };
  const Index3 n = access.extents;
  const Index3 r = access.radius;
  Copying c;
  c.blocks = along_axis(n.x, r.x, access.block.x) * along_axis(n.y, r.y, access.block.y) *
             access.march.chunks;
  const double planes =
      along_axis(n.z, r.z, access.march.chunks) + 2.0 * static_cast<double>(r.z);
  c.copy_cycles =
      planes * (row_cycles * access.march.rows + access.march.plane_bytes / copied_bytes_per_cycle);
  c.block_cycles = c.copy_cycles + planes * plane_cycles;
  c.resident = resident_blocks(access, device);
  return c;
}

double Copying::cycles(double units) const {
  return std::max(std::ceil(blocks / units) * copy_cycles,
                  std::ceil(blocks / resident) * block_cycles);
}

Needs needs_of(const StencilAccess& access, const Description& device, const Traffic& traffic) {
  Needs needs;
  needs.moved = traffic.fetched + traffic.written;
  needs.cached = traffic.requested;
  needs.flops = known_or_none(access.work.flops);
  needs.element_bytes = access.element_bytes;
  needs.instructions = warp_instructions(access, device, traffic);
  if (!access.marches) {
    needs.waits = latency_seconds(access, device);
  } else if (access.march.copies) {
    needs.waits = copying_of(access, device).cycles(device.units) / device.clock_hz;
    needs.cached /= copied_share;
  }
  needs.launches = access.split;
  return needs;
}

Time time_of(const Needs& needs, const Description& device) {
  const double launches = needs.launches * device.launch_seconds;
  Time longest{{device.launch_seconds}, "launch"};
  const auto consider = [&](double amount, double rate, const char* roof) {
    if (rate > 0 && amount / rate > longest.seconds.value) longest = {{amount / rate}, roof};
  };
  consider(needs.moved, device.copy_bytes_per_second, "memory");
  consider(needs.cached, device.cache_bytes_per_second, "cache");
  consider(needs.flops, needs.element_bytes == 8 ? device.fp64_flops : device.fp32_flops, "flops");
  consider(needs.instructions, device.units * device.issues_per_cycle * device.clock_hz, "issue");
  consider(needs.waits, 1, "latency");
  longest.seconds.value += longest.roof == "launch" ? launches - device.launch_seconds : launches;
  return longest;
}

Time time_of(const StencilAccess& access, const Description& device, const Traffic& traffic) {
  return time_of(needs_of(access, device, traffic), device);
}

} // namespace ridge::model
