#include "cpu_default.hpp"

namespace ridge::lattice {

CpuSchedule cpu_default(const DeviceFacts& facts, Task task, const SiteShape& shape,
                        const Geometry& g) {
  CpuSchedule s;
  const bool stalls = stalls_between_pages(facts);
  // Where the cores convert besides, they see less far ahead.
  if (stalls || task.reduces()) s.ahead = shape.real_bytes == 4 ? 6144 : 3072;
  // Fields that the last-level cache holds are faster in order. Expressions read several fields,
  // and so several pages, at once.
  const bool beyond = g.sites() * shape.site_bytes() > facts.last_level_cache.value / 4;
  if (stalls && beyond && task.kind != Task::expression) s.streams = 8;
  return s;
}

} // namespace ridge::lattice
