// The causes, a file each.
#pragma once

#include <ridge/doctor/cause.hpp>

namespace ridge::doctor {

[[nodiscard]] Cause staged_passes();
[[nodiscard]] Cause launch_overhead();
[[nodiscard]] Cause uncoalesced();
[[nodiscard]] Cause cache_overflow();
[[nodiscard]] Cause repeated_requests();
[[nodiscard]] Cause computed_twice();
[[nodiscard]] Cause few_resident_warps();
[[nodiscard]] Cause spilled_registers();
[[nodiscard]] Cause too_few_bytes_in_flight();
[[nodiscard]] Cause launch_too_small();
[[nodiscard]] Cause partly_written_sectors();
[[nodiscard]] Cause no_vectors();
[[nodiscard]] Cause power_of_two_strides();
[[nodiscard]] Cause remote_first_touch();

} // namespace ridge::doctor
