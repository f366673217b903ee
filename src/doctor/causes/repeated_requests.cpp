#include "../causes.hpp"

#include <algorithm>

namespace ridge::doctor {

namespace {

/// Seconds of what is asked of the cache, were the lanes of warps side by side.
double of_cache(const Facts& f) {
  return f.asked / f.cache_share / f.device.cache_bytes_per_second;
}

} // namespace

Cause repeated_requests() {
  Cause c;
  c.name = "repeated-requests";
  c.title = "threads ask the last-level cache for what others, or they themselves, had already";
  c.unit = "times as long as for all of it once, or as memory, the cache takes";
  c.threshold = 1.1;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (f.asked <= 0 || f.device.cache_bytes_per_second <= 0) return {};
    if (f.device.copy_bytes_per_second <= 0) return {};
    const double once = (f.least_read + f.least_written) / f.device.cache_bytes_per_second;
    return of_cache(f) / std::max(once, f.moved() / f.device.copy_bytes_per_second);
  };
  c.cures = [](const Facts& sick, const Facts& changed) {
    return of_cache(changed) <= 0.9 * of_cache(sick);
  };
  c.healed = [](Facts f) {
    f.asked = f.least_read + f.least_written;
    f.cache_share = 1;
    return f;
  };
  c.action = "keep in registers or shared memory what neighbours share: more points a thread, or a "
             "march";
  c.background =
      "A thread that computes one point of a stencil asks for each of its neighbours. All but one "
      "of these reads are served by the last-level cache, whose bandwidth is no more than twice "
      "memory's: 7.2 TB/s of 4.3 on an H200. Tiles of points a thread ask for their rows once, and "
      "blocks that march keep planes in shared memory: a Laplacian at 512x512x512 in fp64 goes "
      "from 0.76 of a copy to 0.98.";
  c.source =
      "AMD lab notes, Laplacian, part 2: several points a thread; docs/design/stencils_on_gpus.md";
  return c;
}

} // namespace ridge::doctor
