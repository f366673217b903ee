#include "../causes.hpp"

namespace ridge::doctor {

Cause partly_written_sectors() {
  Cause c;
  c.name = "partly-written-sectors";
  c.title = "sectors or lines are read because stores cover only a part of them";
  c.unit = "bytes read before they are written, for each that is written";
  c.threshold = 0.10;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (f.least_written <= 0) return {};
    return f.partial / f.least_written;
  };
  c.healed = &with<&Facts::partial, 0>;
  c.action = "write whole sectors: rows that begin and end at their edges, fewer and longer rows";
  c.background =
      "Memory is written by whole sectors or lines. A store that covers only a part of one makes "
      "the cache read the rest first: a plain store on a cpu always does, as the core does not "
      "know that the rest follows, and costs a third of a copy's bandwidth; a store past the "
      "caches does where rows begin and end. On an MI250X such stores also leave the cache to "
      "what is read again: 4 % more.";
  c.source = "AMD lab notes, Laplacian, part 3: non-temporal stores; Grid, guide to GPU memory "
             "performance: coalesced writes";
  return c;
}

} // namespace ridge::doctor
