#include "cpu_default.hpp"

#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/stencil/variants.hpp>

#include <algorithm>
#include <optional>

namespace ridge::stencil {

namespace {

Index footprint_points(const Traits& traits) {
  Index points = 0;
  for (const auto& offsets : traits.footprints)
    points += static_cast<Index>(offsets.size());
  return points;
}

bool has_many_points(const Traits& traits) {
  return footprint_points(traits) >= many_points;
}

/// Whether rows and planes of a result all begin at lines, as stores past the caches by several
/// planes need.
bool lines_are_whole(const Traits& traits, Index3 n, const Strides& strides) {
  const auto whole = [&](Index distance) {
    return distance * traits.element_bytes % ridge::cpu::line_bytes == 0;
  };
  return whole(strides.row) && whole(strides.plane) && n.x >= 64;
}

/// Cores that wait for lines between their L2 and L1 rather than for memory: there two planes at
/// once pay for every kernel, on others for those of many points (docs/design/stencils_on_cpus.md).
/// Known of the same cores.
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

/// An L1 that the rows of windows and those beside them fill.
bool has_small_l1(const DeviceFacts& facts) {
  return facts.l1.value > 0 && facts.l1.value <= 32 << 10;
}

/// Whether windows are better than a field's own rows that push each other out of the L1: where
/// rows that are no whole lines must be stored through the caches, if they are half as many again
/// as its ways; where half registers come to each line twice, also to those of the planes that lie
/// in no window, if they are twice as many.
bool windows_pay(const DeviceFacts& facts, const Traits& traits, const Strides& strides,
                 bool whole) {
  const int rows = rows_in_a_set(traits, strides);
  const int ways = ways_of_l1(facts);
  if (rows <= ways || !has_small_l1(facts)) return false;
  if (reads_rows_beside(traits)) return true;
  if (!whole) return 2 * rows > 3 * ways;
  return facts.simd_bytes >= ridge::cpu::line_bytes || rows > 2 * ways;
}

Index planes_of_results(const Traits& traits, Index3 n) {
  return n.z - 2 * traits.radius.z;
}

/// Several planes at once, where they pay and there are as many.
std::optional<CpuSchedule> planes_default(const DeviceFacts& facts, const Traits& traits, Index3 n,
                                          const Strides& strides) {
  if (!traits.planes) return std::nullopt;
  const Index planes = planes_of_results(traits, n);
  const int depth = cpu_depth(facts, traits, n, strides);
  if (depth == CpuSchedule::deep && planes >= depth) {
    CpuSchedule s = deep_default(facts, traits, n);
    if (!lines_are_whole(traits, n, strides)) s.store = Store::plain; // as the executor must
    return s;
  }
  if (depth > 1 && planes >= CpuSchedule::pair && lines_are_whole(traits, n, strides))
    return pair_default(facts, traits, n);
  return std::nullopt;
}

} // namespace

// In pairs where they pay; of many points from windows where a pair would read many rows from
// beyond the L1, in fp64 where cores wait for memory, and where the fields' own rows push each
// other out of the L1 (docs/design/stencils_on_cpus.md).
int cpu_depth(const DeviceFacts& facts, const Traits& traits, Index3 n, const Strides& strides) {
  const bool many = has_many_points(traits);
  const bool whole = lines_are_whole(traits, n, strides);
  if (many && windows_pay(facts, traits, strides, whole)) return CpuSchedule::deep;
  if (!whole) return 1;
  if (has_small_l1(facts)) {
    // Pairs are computed in whole registers, windows of boxes too: where those are half as wide,
    // each line is read twice and single planes win.
    if (facts.simd_bytes < ridge::cpu::line_bytes) return 1;
    return reads_rows_beside(traits) ? CpuSchedule::deep : CpuSchedule::pair;
  }
  if (!many && !waits_for_l2(facts)) return 1;
  const bool windows =
      many && (reads_rows_beside(traits) || (!waits_for_l2(facts) && traits.element_bytes == 8));
  return windows ? CpuSchedule::deep : CpuSchedule::pair;
}

CpuSchedule cpu_default(const DeviceFacts& facts, const Traits& traits, Index3 n,
                        const Strides& strides) {
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
  if (bytes <= cache_of_cores(facts).value) {
    s.store = Store::plain;
    s.ahead = 0;
    // Their lines come from the L2 and beyond all the same (docs/design/stencils_on_cpus.md).
    const bool pairs = waits_for_l2(facts) && traits.planes && footprint_points(traits) > 7 &&
                       planes_of_results(traits, n) >= CpuSchedule::pair &&
                       lines_are_whole(traits, n, strides);
    if (pairs) s.depth = CpuSchedule::pair;
    return s;
  }
  s = planes_default(facts, traits, n, strides).value_or(s);
  ask_by_streams(s, facts, traits, n);
  return s;
}

std::optional<CpuPassSchedule> pass_of_waves(const DeviceFacts& facts, const Traits& traits,
                                             Index3 n, int threads) {
  constexpr Index fewest_points = Index{1} << 24;
  constexpr Index narrowest = 128;
  const bool waves = traits.inputs() == 2 && traits.footprints[1].size() == 1 &&
                     footprint_points(traits) <= 8 && traits.radius == Offset{1, 1, 1};
  const bool known = !stalls_between_pages(facts) && !has_small_l1(facts) &&
                     facts.simd_bytes >= ridge::cpu::line_bytes;
  if (!waves || !known || traits.element_bytes != 4) return {};
  if (n.x * n.y * n.z < fewest_points || std::min(n.x, n.y) < narrowest) return {};
  CpuPassSchedule s;
  s.sweeps = 8;
  s.rows = static_cast<int>(std::min<Index>(128, ceil_div(n.y - 2, threads)));
  if (s.rows < 64) return {}; // rows that blocks share are computed in each
  const Index planes = 3;     // of each sweep but the last, with the rows that later ones need
  const Index ring = planes * (s.sweeps - 1) * (s.rows + s.sweeps) * n.x * traits.element_bytes;
  if (ring * threads > cache_of_cores(facts).value) return {};
  return s;
}

bool passes_pay(const Traits& traits, Index3 n, int threads) {
  constexpr int many_threads = 16;
  constexpr Index many = Index{1} << 24;
  return threads >= many_threads && traits.inputs() == 1 && traits.element_bytes == 8 &&
         traits.radius.z == 1 && footprint_points(traits) <= 7 && n.x * n.y * n.z >= many;
}

} // namespace ridge::stencil
