#include <ridge/device/cpu/prefetch.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/stencil/strides.hpp>

#include "cpu_default.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ridge::stencil {

namespace {

using ridge::cpu::line_bytes;

/// Sets of the L1 of every x86-64 cpu: its ways are pages, so that they are found while the page's
/// address is looked up.
constexpr Index sets = 64;
constexpr Index page_bytes = sets * line_bytes;
constexpr Index sets_together = 4;

constexpr Index floor_div(Index a, Index b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/// At least so many lines, an odd number of them, and three or more beside a page: rows that follow
/// each other then share no set, nor do those that lie beside them.
Index apart(Index lines) {
  constexpr Index beside = 3;
  lines |= 1;
  while (lines % sets < beside || lines % sets > sets - beside)
    lines += 2;
  return lines;
}

} // namespace

int rows_in_a_set(const Traits& traits, const Strides& strides) {
  int most = 0;
  for (const auto& offsets : traits.footprints) {
    std::set<std::pair<int, int>> rows;
    for (const Offset& o : offsets)
      rows.insert({o.y, o.z});
    std::array<int, sets> held{};
    for (const auto& [y, z] : rows) {
      const Index line =
          floor_div((y * strides.row + z * strides.plane) * traits.element_bytes, line_bytes);
      for (Index beside = 0; beside < sets_together; ++beside)
        ++held[static_cast<std::size_t>(((line - beside) % sets + sets) % sets)];
    }
    most = std::max(most, *std::max_element(held.begin(), held.end()));
  }
  return most;
}

int ways_of_l1(const DeviceFacts& facts) {
  return static_cast<int>(facts.l1.value / page_bytes);
}

bool crowded(const DeviceFacts& facts, const Traits& traits, const Strides& strides) {
  const int ways = ways_of_l1(facts);
  return ways > 0 && rows_in_a_set(traits, strides) > ways;
}

Strides spread(const Device& device, const Traits& traits, Index3 extents, const Strides& given) {
  if (facts_of(device).takes_gpu_schedules) return given;
  const DeviceFacts& facts = device.facts();
  const Index line = line_bytes / traits.element_bytes;
  const Index row = apart(ceil_div(extents.x, line)) * line;
  const Strides wide{row, apart(row * extents.y / line) * line, 0};
  const bool as_many_planes =
      cpu_depth(facts, traits, extents, given) >= cpu_depth(facts, traits, extents, wide);
  return crowded(facts, traits, given) || !as_many_planes ? wide : given;
}

} // namespace ridge::stencil
