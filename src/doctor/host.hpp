// Facts of this machine's processor that no device says.
#pragma once

#include <ridge/core/extents.hpp>

#include <cstddef>

namespace ridge::doctor {

/// What one core draws from memory: some 48 lines under way between L2 and memory, each for some
/// 100 ns. Assumed, for cores from Skylake and Zen 2 on.
inline constexpr double core_bytes_per_second = 48 * 64 / 100e-9;

/// Bytes of vector registers: the widest there are, and those of the kernels that are loaded.
struct HostVectors {
  int widest_bytes = 16, used_bytes = 16;
};
[[nodiscard]] HostVectors host_vectors();

/// Lines of a set of a core's first-level cache.
[[nodiscard]] double l1_ways();

} // namespace ridge::doctor
