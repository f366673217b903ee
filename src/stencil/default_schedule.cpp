// The schedule without measuring: from cache sizes, extents and the kernel's radius.
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/stencil/schedule.hpp>

#include <algorithm>

namespace ridge::stencil {

namespace {

CpuSchedule cpu_default(const DeviceFacts& facts, const Traits& traits, Index3 n) {
  CpuSchedule s;
  const Index row_bytes = n.x * traits.element_bytes * traits.inputs();
  const Index planes = 2 * traits.radius.z + 2;
  const Index room = facts.l2.value / 2;
  const Index rows = room / std::max<Index>(row_bytes * planes, 1) - 2 * traits.radius.y;
  s.rows = rows >= n.y ? 0 : static_cast<int>(std::max<Index>(rows, 8));
  // Data that stay in the cache are better not stored past it.
  const Index bytes = n.x * n.y * n.z * traits.element_bytes * (traits.inputs() + 1);
  s.store = bytes <= facts.last_level_cache.value ? Store::plain : Store::nontemporal;
  return s;
}

GpuSchedule gpu_default(const DeviceFacts& /*facts*/, const Traits& /*traits*/, Index3 n) {
  GpuSchedule s;
  if (n.x < 128) s.block = n.x < 64 ? BlockShape{{32, 8, 1}} : BlockShape{{64, 4, 1}};
  return s;
}

} // namespace

Schedule default_schedule(const Device& device, const Traits& traits, Index3 extents) {
  if (device.kind() == DeviceKind::cpu) return cpu_default(device.facts(), traits, extents);
  return gpu_default(device.facts(), traits, extents);
}

} // namespace ridge::stencil
