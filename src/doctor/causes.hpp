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
[[nodiscard]] Cause divergent_branches();
[[nodiscard]] Cause few_resident_warps();
[[nodiscard]] Cause spilled_registers();
[[nodiscard]] Cause too_few_bytes_in_flight();
[[nodiscard]] Cause launch_too_small();
[[nodiscard]] Cause partly_written_sectors();
[[nodiscard]] Cause no_vectors();
[[nodiscard]] Cause power_of_two_strides();
[[nodiscard]] Cause remote_first_touch();
[[nodiscard]] Cause loose_lists();
[[nodiscard]] Cause tight_lists();
[[nodiscard]] Cause small_leaves();
[[nodiscard]] Cause large_leaves();
[[nodiscard]] Cause uneven_groups();
[[nodiscard]] Cause small_levels();
[[nodiscard]] Cause staged_levels();
[[nodiscard]] Cause short_blocks();
[[nodiscard]] Cause slow_operations();
[[nodiscard]] Cause slow_memory();

/// The launch with one figure changed.
template <auto Figure, int Value>
[[nodiscard]] Facts with(Facts facts) {
  facts.*Figure = Value;
  return facts;
}
/// A cause whose evidence is in records, and in no facts.
[[nodiscard]] Cause recorded_cause();
/// The number of a record's detail; nothing where it has none of that name.
[[nodiscard]] std::optional<double> number_of(const Record& record, std::string_view detail);
/// The value of a field of a record's schedule; 0 where it has none.
[[nodiscard]] int field_of(const Record& record, std::string_view field);

} // namespace ridge::doctor
