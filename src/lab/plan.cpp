#include <ridge/lab/plan.hpp>

#include <algorithm>

namespace ridge::lab {

namespace {

/// The largest power-of-two cube, up to 512, of which `fields` fields fit a quarter of the memory.
Extents cube_for(const Device& device, int fields) {
  if (device.kind() == DeviceKind::simt) return {24, 20, 18};
  Index side = 512;
  while (side > 64 && side * side * side * 8 * fields > device.free_memory().value / 4)
    side /= 2;
  return {side, side, side};
}

/// Bodies that keep the device busy for some tenths of a second at most.
Extents bodies_for(const Device& device, bool quick) {
  if (device.kind() == DeviceKind::simt) return {300};
  if (device.is_gpu()) return {262144};
  return {quick ? 16384 : 65536};
}

} // namespace

std::vector<PlannedRun> lab_plan(const Device& device, bool quick) {
  const Extents cube = cube_for(device, 2);
  std::vector<PlannedRun> plan{{"laplacian", cube, "fp64", "all"},
                               {"laplacian", cube, "fp32", "auto"},
                               {"laplacian8", cube, "fp64", "auto"}};
  const Extents bodies = bodies_for(device, quick);
  plan.push_back({"gravity", bodies, "fp32", quick ? "auto" : "all"});
  plan.push_back({"gravity", bodies, "fp64", "auto"});
  if (!quick) {
    plan.push_back({"gravity", bodies, "mixed", "auto"});
    for (const char* kernel : {"coulomb", "lennard-jones", "biot-savart"})
      plan.push_back({kernel, bodies, "fp32", "auto"});
    plan.push_back({"laplacian8", cube, "fp32", "auto"});
    plan.push_back({"box27", cube, "fp64", "auto"});
    plan.push_back({"diffusion", cube_for(device, 3), "fp64", "auto"});
    const Index side = cube[0];
    plan.push_back({"laplacian", {side * side / 16, side * 16}, "fp64", "auto"});
  }
  return plan;
}

} // namespace ridge::lab
