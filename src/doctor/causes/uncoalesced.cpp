#include "../causes.hpp"

namespace ridge::doctor {

Cause uncoalesced() {
  Cause c;
  c.name = "uncoalesced";
  c.title = "the lanes of a warp touch more sectors of memory than they use";
  c.unit = "bytes of sectors touched for each byte used";
  c.threshold = 1.5;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (!f.device.is_gpu() || f.asked <= 0) return {};
    return f.sector_bytes;
  };
  c.healed = &with<&Facts::sector_bytes, 1>;
  c.action = "let neighbouring lanes read neighbouring numbers: lanes along the first dimension";
  c.background =
      "Memory comes by sectors of 32 or 64 bytes. Lanes whose numbers follow each other share "
      "them; lanes that are a row or a site apart take one each, and most of it is thrown away. "
      "So lanes run along x, or over the words of a site, and each thread's own loop takes the "
      "longer strides.";
  c.source = "Grid, guide to GPU memory performance: thread mapping, coalesced reads and writes";
  return c;
}

} // namespace ridge::doctor
