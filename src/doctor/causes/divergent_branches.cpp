#include "../causes.hpp"

namespace ridge::doctor {

Cause divergent_branches() {
  Cause c;
  c.name = "divergent-branches";
  c.title = "lanes of a warp wait for a branch that others of them take";
  c.unit = "instructions for each that is left where all lanes of a warp branch alike";
  c.threshold = 1.3;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (!f.device.is_gpu() || f.least_instructions <= 0 || !f.branches) return {};
    return f.instructions / f.least_instructions;
  };
  c.healed = [](Facts f) {
    f.instructions = f.least_instructions;
    return f;
  };
  c.action = "order items so that neighbours along x branch alike, or give the items that branch a "
             "list and an operation of their own";
  c.background =
      "A warp has one stream of instructions: where one of its lanes takes a branch, all the "
      "others "
      "wait. Where one item in fifty branches and neighbours know nothing of each other, every "
      "second warp of 32 lanes goes through the branch, for one lane of it. The packs of a cpu, of "
      "2 to 16 items, do so less often. What a branch costs is declared with the operation that "
      "has it: operations inside, and the share of items that take it. Neighbours are taken to be "
      "independent, which is the worst case.";
  c.source = "Portability wiki: if-statements, and splitting kernels at them";
  return c;
}

} // namespace ridge::doctor
