// How many blocks are resident, what does not fit their registers, and how long they wait.
#include <ridge/model/traffic.hpp>

#include "reach.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

double warps_of(double threads, const Description& device) {
  return std::ceil(threads / device.warp_width);
}

/// Registers a thread may have when a block can have `bounds` threads.
double registers_allowed(int bounds, const Description& device) {
  const double warps = std::max(1.0, std::ceil(warps_of(bounds, device) / device.schedulers));
  const double each = device.registers_per_unit / device.schedulers / device.warp_width / warps;
  return std::min(device.registers_per_thread, each);
}

/// Warps that the registers of one scheduler hold.
double warps_by_registers(double registers, const Description& device) {
  const double rounded =
      std::ceil(std::max(registers, 1.0) / device.register_step) * device.register_step;
  return std::floor(device.registers_per_unit / device.schedulers / (device.warp_width * rounded));
}

} // namespace

double spilled_registers(const StencilAccess& access, const Description& device) {
  return std::max(0.0, access.registers - registers_allowed(access.bounds, device));
}

double resident_blocks(const StencilAccess& access, const Description& device) {
  const double warps = warps_of(access.threads, device);
  const double registers =
      std::min<double>(access.registers, registers_allowed(access.bounds, device));
  const double slots =
      std::min(device.warps_per_unit, warps_by_registers(registers, device) * device.schedulers);
  double blocks = std::min(device.blocks_per_unit, std::floor(slots / warps));
  if (access.shared_bytes > 0) {
    const double shared = static_cast<double>(access.shared_bytes);
    blocks = std::min(blocks, std::floor(device.shared_bytes_per_unit / shared));
  }
  return std::max(blocks, 1.0) * device.units;
}

double wait_share(const StencilAccess& access, const Description& device) {
  if (!access.waits_between_planes) return 0;
  double planes = 0;
  for (const auto& footprint : access.footprints)
    planes += static_cast<double>(distances_along(footprint, 2).size());
  if (planes < 2) return 0;
  // All planes but the last are in the cache: others asked for them first.
  const double hit = device.cache_latency_cycles;
  return hit / ((planes - 1) * hit + device.memory_latency_cycles);
}

} // namespace ridge::model
