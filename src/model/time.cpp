#include <ridge/model/time.hpp>

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
  return (2 * elements + access.work.flops / 2 + instructions_around * threads) / device.warp_width;
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

} // namespace

Time time_of(const StencilAccess& access, const Description& device, const Traffic& traffic) {
  const double launches = access.split * device.launch_seconds;
  Time longest{{device.launch_seconds}, "launch"};
  const auto consider = [&](double seconds, const char* roof) {
    if (seconds > longest.seconds.value) longest = {{seconds}, roof};
  };
  const double moved = traffic.fetched + traffic.written;
  if (device.copy_bytes_per_second > 0) {
    consider(moved / device.copy_bytes_per_second, "memory");
  }
  if (device.cache_bytes_per_second > 0) {
    consider(traffic.requested / device.cache_bytes_per_second, "cache");
  }
  const double peak = access.element_bytes == 8 ? device.fp64_flops : device.fp32_flops;
  if (peak > 0) consider(access.work.flops / peak, "flops");
  consider(warp_instructions(access, device, traffic) /
               (device.units * device.issues_per_cycle * device.clock_hz),
           "issue");
  if (!access.marches) consider(latency_seconds(access, device), "latency");
  longest.seconds.value += longest.roof == "launch" ? launches - device.launch_seconds : launches;
  return longest;
}

} // namespace ridge::model
