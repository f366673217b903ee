#include "../causes.hpp"

namespace ridge::doctor {

Cause spilled_registers() {
  Cause c;
  c.name = "spilled-registers";
  c.title = "threads hold more values than their registers, and the rest goes through memory";
  c.unit = "bytes of registers written and read again for each of the work";
  c.threshold = 0.10;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    const double least = f.least_read + f.least_written;
    if (!f.device.is_gpu() || least <= 0) return {};
    return f.spilled / least;
  };
  c.healed = [](Facts f) {
    f.spilled = 0;
    f.spilled_registers = 0;
    return f;
  };
  c.action = "tell the compiler how many threads a block has (bounds=), or hold fewer values";
  c.background =
      "A compiler that must allow for blocks of 1024 threads leaves each 64 registers; what a "
      "thread holds beside them is written to memory and read again. Launch bounds of the block "
      "that runs, smaller tiles, or planes in shared memory make room: 16 points a thread spill "
      "180 registers on an MI250X, and bounds of 256 make that kernel three times as fast.";
  c.source = "AMD lab notes, Laplacian, part 3: launch bounds";
  return c;
}

} // namespace ridge::doctor
