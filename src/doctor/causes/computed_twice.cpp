#include "../causes.hpp"

namespace ridge::doctor {

Cause computed_twice() {
  Cause c;
  c.name = "computed-twice";
  c.title = "pairs are computed, or sources read, more often than another form does";
  c.unit = "instructions for each that the leanest form issues";
  c.threshold = 1.15;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (!f.device.is_gpu() || f.least_instructions <= 0 || f.branches) return {};
    return f.instructions / f.least_instructions;
  };
  c.healed = [](Facts f) {
    f.instructions = f.least_instructions;
    return f;
  };
  c.action = "compute each pair once for both bodies, with several targets a thread";
  c.background =
      "Interactions are bound by the instructions that units begin. What acts on both bodies of a "
      "pair alike can be computed once and added twice, for half as many instructions again "
      "instead of twice as many; a thread with several targets reads a source once for all of "
      "them. On an H200 the Coulomb sum of 262144 charges goes from 0.72 to 1.13 of issue in fp32.";
  c.source = "docs/design/pairs.md: each pair once";
  return c;
}

} // namespace ridge::doctor
