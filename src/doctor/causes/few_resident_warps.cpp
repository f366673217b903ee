#include "../causes.hpp"

namespace ridge::doctor {

Cause few_resident_warps() {
  Cause c;
  c.name = "few-resident-warps";
  c.title = "few lanes of a unit are in use, or their registers go to memory";
  c.unit = "of the lanes that a unit can hold are there, with their registers";
  c.threshold = 0.25;
  c.above = false;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    const double lanes = f.device.units * f.device.warps_per_unit * f.device.warp_width;
    if (!f.device.is_gpu() || lanes <= 0 || f.blocks < f.resident) return {};
    const double held = f.registers > 0 ? 1 - f.spilled_registers / f.registers : 1;
    return f.resident * f.block_threads / lanes * held;
  };
  c.healed = [](Facts f) {
    f.resident = f.device.units * f.device.warps_per_unit * f.device.warp_width / f.block_threads;
    f.spilled = 0;
    f.spilled_registers = 0;
    return f;
  };
  c.action = "give a block at least a whole warp, and a thread fewer values at once";
  c.background =
      "A unit hides the latency of memory behind other warps. Blocks of fewer threads than a warp "
      "leave its other lanes idle, and a unit holds a limited number of blocks: a launch width of "
      "2 with 4 lanes fills an eighth of a wavefront and took 29 times as long as one of 16. "
      "Threads of many registers leave room for few warps, and what does not fit is spilled to "
      "memory: 16 points a thread spill 180 registers on an MI250X, and launch bounds that allow "
      "more registers make that kernel three times as fast.";
  c.source = "Grid, guide to GPU memory performance: the launch width; AMD lab notes, Laplacian, "
             "part 3";
  return c;
}

} // namespace ridge::doctor
