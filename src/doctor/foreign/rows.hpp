// The rows of causes, by what they are about.
#pragma once

#include <ridge/doctor/foreign/cause.hpp>

namespace ridge::doctor {

/// Blocks for each that all units hold at once; nothing where it is not known.
[[nodiscard]] Counted waves_of_blocks(const LaunchCounts& counts);

[[nodiscard]] std::vector<ForeignCause> memory_causes();
[[nodiscard]] std::vector<ForeignCause> warp_causes();
[[nodiscard]] std::vector<ForeignCause> instruction_causes();
[[nodiscard]] std::vector<ForeignCause> host_causes();
[[nodiscard]] std::vector<ForeignCause> processor_causes();

} // namespace ridge::doctor
