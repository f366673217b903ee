#include "cpu_default.hpp"

#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/stencil/variants.hpp>

#include <algorithm>
#include <optional>

namespace ridge::stencil {

namespace {

Index points_of(const Traits& traits) {
  Index points = 0;
  for (const auto& offsets : traits.footprints)
    points += static_cast<Index>(offsets.size());
  return points;
}

bool has_many_points(const Traits& traits) {
  return points_of(traits) >= many_points;
}

/// Whether rows and planes of a result of n points all begin at lines, as stores past the caches by
/// several planes need.
bool lines_are_whole(const Traits& traits, Index3 n) {
  return n.x * traits.element_bytes % ridge::cpu::line_bytes == 0 && n.x >= 64;
}

/// Cores that wait for lines between their L2 and L1 rather than for memory: there two planes at
/// once pay for every kernel, on others for those of many points (docs/decisions/0050). Known of
/// the same cores.
bool waits_for_l2(const DeviceFacts& facts) {
  return stalls_between_pages(facts);
}

/// Leading rows by several streams; shorter rows already share pages.
void ask_by_streams(CpuSchedule& s, const DeviceFacts& facts, const Traits& traits, Index3 n) {
  constexpr Index page = 4096;
  const bool long_rows = n.x * traits.element_bytes >= page * 3 / 4;
  if (!stalls_between_pages(facts) || has_many_points(traits) || !long_rows) return;
  if (s.ahead == 0 || n.y < 8) return;
  s.streams = 4;
  s.ahead = std::max(s.ahead, s.streams);
}

/// Two planes at once: the planes in use lie in 1 MiB of the L2; more was never better.
CpuSchedule pair_default(const DeviceFacts& facts, const Traits& traits, Index3 n) {
  CpuSchedule s;
  s.depth = CpuSchedule::pair;
  s.ahead = 2;
  const Index planes = (s.depth + 2 * traits.radius.z) * traits.inputs();
  const Index room = std::min<Index>(facts.l2.value, 1 << 20);
  const Index rows = room / (planes * n.x * traits.element_bytes) - 2 * traits.radius.y;
  s.rows = static_cast<int>(std::clamp<Index>(rows, 16, 64));
  return s;
}

/// Windows of several planes: an eighth of the last-level cache holds the planes in use of every
/// thread's block; with more the speed came to depend on what else uses that cache.
CpuSchedule deep_default(const DeviceFacts& facts, const Traits& traits, Index3 n) {
  CpuSchedule s;
  s.depth = CpuSchedule::deep;
  s.ahead = 4;
  const Index planes = (s.depth + 2 * traits.radius.z) * traits.inputs();
  const Index row_bytes = planes * n.x * traits.element_bytes * std::max(facts.units, 1);
  s.rows =
      static_cast<int>(std::clamp<Index>(facts.last_level_cache.value / 8 / row_bytes, 24, 64));
  return s;
}

/// Whether rows beside the point's own are read in the planes above and below, too.
bool reads_rows_beside(const Traits& traits) {
  for (const auto& offsets : traits.footprints) {
    for (const Offset& o : offsets) {
      if (o.y != 0 && o.z != 0) return true;
    }
  }
  return false;
}

/// Several planes at once, where they pay: in pairs; of many points from windows where a pair would
/// read many rows from beyond the L1, and in fp64 where cores wait for memory.
std::optional<CpuSchedule> planes_default(const DeviceFacts& facts, const Traits& traits,
                                          Index3 n) {
  const bool many = has_many_points(traits);
  const Index planes = n.z - 2 * traits.radius.z;
  if (!lines_are_whole(traits, n) || !(many || waits_for_l2(facts))) return std::nullopt;
  const bool windows =
      many && (reads_rows_beside(traits) || (!waits_for_l2(facts) && traits.element_bytes == 8));
  if (windows && traits.planes && planes >= CpuSchedule::deep)
    return deep_default(facts, traits, n);
  if (traits.planes && planes >= CpuSchedule::pair) return pair_default(facts, traits, n);
  return std::nullopt;
}

} // namespace

CpuSchedule cpu_default(const DeviceFacts& facts, const Traits& traits, Index3 n) {
  CpuSchedule s;
  const Index row_bytes = std::max<Index>(n.x * traits.element_bytes * traits.inputs(), 1);
  const Index ahead = std::max<Index>(1, 2048 / row_bytes);
  const Index planes = 2 * traits.radius.z + 1;
  const Index room = facts.l2.value / row_bytes / planes - 2 * traits.radius.y - ahead;
  const Index rows = std::max<Index>(room * 2 / 3, 8);
  s.rows = rows >= n.y ? 0 : static_cast<int>(rows);
  s.ahead = n.y > 1 ? static_cast<int>(std::min<Index>(ahead, n.y)) : 0;
  // Data that stay in the cache are better not stored past it, nor asked for ahead of time.
  const Index bytes = n.x * n.y * n.z * traits.element_bytes * (traits.inputs() + 1);
  if (bytes <= facts.last_level_cache.value) {
    s.store = Store::plain;
    s.ahead = 0;
    return s;
  }
  s = planes_default(facts, traits, n).value_or(s);
  ask_by_streams(s, facts, traits, n);
  return s;
}

} // namespace ridge::stencil
