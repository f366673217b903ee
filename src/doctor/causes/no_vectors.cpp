#include "../causes.hpp"

namespace ridge::doctor {

Cause no_vectors() {
  Cause c;
  c.name = "no-vectors";
  c.title = "loops use a part of the processor's vector registers";
  c.unit = "of the lanes of the widest vectors are used";
  c.threshold = 0.75;
  c.above = false;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (f.device.is_gpu()) return {};
    return f.vector_share;
  };
  c.healed = &with<&Facts::vector_share, 1>;
  c.action = "let the first dimension be the longest, and load kernels compiled for this processor";
  c.background =
      "A GPU's lanes are always vectors; on a cpu loops must get onto the vector unit. Branches, "
      "calls that are not inlined and loops too short for a register keep them off it. Ridge's "
      "loops along x are vectors of the processor's width by construction: what remains are rows "
      "shorter than one, and kernels compiled for an older processor.";
  c.source = "Portability wiki: getting onto the vector unit, if-statements, non-inlined calls";
  return c;
}

} // namespace ridge::doctor
