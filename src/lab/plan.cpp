#include <ridge/device/kind.hpp>
#include <ridge/lab/built_in.hpp>
#include <ridge/lab/plan.hpp>

namespace ridge::lab {

namespace {

/// The largest power-of-two cube, up to 512, of which `fields` fields fit a quarter of the memory.
Extents cube_for(const Device& device, int fields) {
  if (facts_of(device).is_emulated) return {24, 20, 18};
  Index side = 512;
  while (side > 64 && side * side * side * 8 * fields > device.free_memory().value / 4)
    side /= 2;
  return {side, side, side};
}

/// Bodies that keep the device busy for a tenth of a second or so.
Extents bodies_for(const Device& device, bool quick) {
  if (facts_of(device).is_emulated) return {300};
  if (device.is_gpu()) return {262144};
  return {quick ? 16384 : device.facts().units <= 4 ? 32768 : 65536};
}

/// The largest lattice, up to 32x32x32x32, of which three propagator fields fit a quarter of the
/// memory.
Extents lattice_for(const Device& device) {
  constexpr Index site_bytes = 144 * 16;
  Index extents[4] = {32, 32, 32, 32};
  for (int d = 3; d > 0; --d) {
    while (extents[d] > 8 && extents[0] * extents[1] * extents[2] * extents[3] * site_bytes * 3 >
                                 device.free_memory().value / 4)
      extents[d] /= 2;
  }
  return Extents(extents, 4);
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
  const bool small = facts_of(device).is_emulated;
  const Extents sites = small ? Extents{4, 4, 4, 4} : lattice_for(device);
  plan.push_back({"lattice-sum", sites, "fp64", "all"});
  plan.push_back({"lattice-norm2", sites, "fp64", "auto"});
  plan.push_back({"lattice-axpy", sites, "fp64", "auto"});
  const Index items = small ? 1000 : quick ? 10'000'000 : 100'000'000;
  plan.push_back({"chain", {items}, "fp64", quick ? "auto" : "all"});
  if (!quick) {
    plan.push_back({"gravity", bodies, "mixed", "auto"});
    for (const BenchKernel& kernel : bench_kernels()) {
      if (!kernel.in_lab || kernel.on_arrays.on_grid) continue;
      plan.push_back({kernel.name, kernel.of_bodies ? bodies : sites, kernel.default_precision,
                      "auto"});
    }
    plan.push_back({"laplacian8", cube, "fp32", "auto"});
    for (const BenchKernel& kernel : bench_kernels()) {
      if (kernel.in_lab && kernel.on_arrays.on_grid)
        plan.push_back({kernel.name,
                        cube_for(device, static_cast<int>(kernel.on_arrays.names.size())), "fp64",
                        "auto"});
    }
    const Index side = cube[0];
    plan.push_back({"laplacian", {side * side / 16, side * 16}, "fp64", "auto"});
  }
  return plan;
}

} // namespace ridge::lab
