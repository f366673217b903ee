#include "../causes.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::doctor {

Cause launch_too_small() {
  Cause c;
  c.name = "launch-too-small";
  c.title = "there are too few blocks for all units, or a few more than they share evenly";
  c.unit = "of the units' time has work, with the blocks there are";
  c.threshold = 0.8;
  c.above = false;
  c.evidence = [](const Facts& f) -> std::optional<double> { return f.filled(); };
  c.healed = [](Facts f) {
    // Each unit has as many, and no fewer than it has now; all of them do the same work.
    const double before = f.blocks;
    f.blocks = std::ceil(f.blocks / f.device.units) * f.device.units;
    f.copy_cycles *= before / f.blocks;
    f.block_cycles *= before / f.blocks;
    f.resident = std::max(f.resident, std::min(f.blocks, f.device.units));
    return f;
  };
  c.action = "give the launch more items, or parts small enough for every unit to have its share";
  c.background = "Blocks are dealt to units, and the unit that has most of them sets the time: "
                 "with 1.1 blocks a unit some have two and the others wait. A GPU wants 40 000 "
                 "threads and more, in many more blocks than units; a cpu a part for each core.";
  c.source =
      "Portability wiki: threads that a GPU needs; AMD lab notes, Laplacian, part 4: small sizes";
  return c;
}

} // namespace ridge::doctor
