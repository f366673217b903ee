// Facts of this machine's processor that no device says.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/model/description.hpp>

#include <cstddef>

namespace ridge::model {

/// The rate at which one core draws from memory: some 48 lines under way between L2 and memory,
/// assumed for cores from Skylake and Zen 2 on, each for as long as the description says, or else
/// some 100 ns.
[[nodiscard]] double core_bytes_per_second(const Description& cpu);

/// Bytes of vector registers: the widest there are, and those of the kernels that are loaded.
struct HostVectors {
  int widest_bytes = 16, used_bytes = 16;
};
[[nodiscard]] HostVectors host_vectors();

/// Lines of a set of a core's first-level cache.
[[nodiscard]] double l1_ways();

} // namespace ridge::model
