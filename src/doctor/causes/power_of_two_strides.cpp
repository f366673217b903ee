#include "../causes.hpp"

namespace ridge::doctor {

Cause power_of_two_strides() {
  Cause c;
  c.name = "power-of-two-strides";
  c.title = "rows that are used together fall on the same few lines of the cache";
  c.unit = "lines in use at once for each that their set of the L1 has";
  c.threshold = 1.25;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (f.device.is_gpu() || f.set_ways <= 0) return {};
    return f.set_lines / f.set_ways;
  };
  c.healed = &with<&Facts::set_lines, 0>;
  c.action = "make rows longer by a line or two, so that they are no multiple of 4096 bytes";
  c.background =
      "A cache keeps a line in one of few places, its set, chosen by the address: in the L1, "
      "addresses 4096 bytes apart share one. Rows of 512 doubles are 4096 bytes, and all rows that "
      "a stencil of high order reads at one x compete for 8 or 12 places. On 16 threads of a Xeon "
      "order 8 took 44 ms where a draft with other rows took 29: as many times as lines "
      "exceed the places, which is what is predicted.";
  c.source =
      "Ridge, docs/design/stencils_on_cpus.md; portability wiki: caching problems of long loops";
  return c;
}

} // namespace ridge::doctor
