#include "../causes.hpp"

#include <algorithm>

namespace ridge::doctor {

Cause launch_too_small() {
  Cause c;
  c.name = "launch-too-small";
  c.title = "the blocks do not fill the device, or their last wave does not";
  c.unit = "of the places for blocks have work, over all waves";
  c.threshold = 0.8;
  c.above = false;
  c.evidence = [](const Facts& f) -> std::optional<double> { return f.filled(); };
  c.healed = [](Facts f) {
    f.blocks = std::max(f.blocks, f.resident);
    f.resident = f.blocks; // all places filled, all at once
    return f;
  };
  c.action = "give the launch more items, or parts small enough for every unit to have its share";
  c.background =
      "A device works on as many blocks at once as its units hold: a wave. A launch of 1.1 waves "
      "lasts as long as one of 2 where the units are the limit. A GPU wants 40 000 threads and "
      "more; a cpu a part for each core.";
  c.source = "Portability wiki: threads that a GPU needs; AMD lab notes, Laplacian, part 4: small "
             "sizes";
  return c;
}

} // namespace ridge::doctor
