// Ways of doing the same memory work; the best of them is the ceiling.
#pragma once

#include "roof_session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ridge {

struct Way {
  RoofVariant variant;
  std::string text; ///< for the reader of the roof
  std::function<void()> launch;
};
using Ways = std::vector<Way>;

struct Best {
  Seconds seconds;
  std::string text;
};

/// The variants worth trying for arrays in memory; with non-temporal stores first and plain ones
/// after them where the kernel `stores`.
[[nodiscard]] std::vector<RoofVariant> memory_variants(bool gpu, bool stores);

/// Glances at each way and times the fastest. There is at least one.
[[nodiscard]] Best best_of(RoofSession& session, const Ways& ways);

/// Those for arrays in memory.
[[nodiscard]] Ways ways_of(const RoofSession& session, bool stores,
                           const std::function<void(const RoofVariant&)>& launch);
/// Those for arrays in the cache: plain stores only.
[[nodiscard]] Ways cached_ways_of(const RoofSession& session, int passes,
                                  const std::function<void(const RoofVariant&)>& launch);

} // namespace ridge
