// Waves on the cpu: operations between given ends in one pass over memory. Each follows the one
// before by as many planes, and rows of a block, as it needs of its results; so what one writes is
// in the caches when the next reads it.
#pragma once

#include <ridge/chain/cpu/schedule.hpp>
#include <ridge/chain/plan.hpp>

#include <vector>

namespace ridge::chain {

/// How a group of operations follows those before it.
struct WaveLag {
  Index y = 0, z = 0; ///< rows and planes behind the first group
  /// Planes at either end of a thread's share that need what other threads, or nobody yet, has
  /// computed: they are left for the time after the wave.
  Index low = 0, high = 0;
};

/// One for each group of the plan; none where they do not run as a wave: chains of other than three
/// dimensions, single groups, groups that a tile keeps values for, and what `fuse` keeps apart.
[[nodiscard]] std::vector<WaveLag> wave_of(const Description& description, const Plan& plan,
                                           const Fuse& fuse);

/// Rows of a block, so many or more, that what lies beyond the ends of y can be set within it.
[[nodiscard]] Index wave_rows(const Description& description, const std::vector<WaveLag>& wave,
                              Index asked);

} // namespace ridge::chain
