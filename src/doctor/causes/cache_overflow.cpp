#include "../causes.hpp"

namespace ridge::doctor {

Cause cache_overflow() {
  Cause c;
  c.name = "cache-overflow";
  c.title = "what is used again is no longer in the cache";
  c.unit = "bytes fetched again for each that must be read";
  c.threshold = 0.10;
  c.evidence = [](const Facts& f) -> std::optional<double> { return f.repeated / f.least_read; };
  c.healed = &with<&Facts::repeated, 0>;
  c.action = "compute in blocks or sub-domains whose rows and planes the cache holds";
  c.background =
      "A stencil reads each plane three times: for its own points and for those above and below. "
      "Where more lines pass between two uses of a plane than the cache holds, it is fetched "
      "again. Loads by ascending address, so that blocks wait for one plane before they ask for "
      "the next, stores past the cache, another order of the blocks, and sub-domains make room. On "
      "an MI250X at 512x512x512 the fetch efficiency of the first kernel is 53 %, of the fifth "
      "100 %; at 1024x1024x1024 the fifth falls to 555 GB/s and sub-domains bring it to 1176.";
  c.source = "AMD lab notes, Finite difference method - Laplacian, parts 1 to 4";
  return c;
}

} // namespace ridge::doctor
