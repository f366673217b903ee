// The one driver of all benchmarks.
#pragma once

#include <ridge/lab/bench.hpp>
#include <ridge/pattern/case.hpp>

namespace ridge::lab {

/// Runs a case under each schedule of the request: results poisoned, one launch, its check, its
/// timing and the ceiling. Hands over each record as soon as it is done. Over ranks the one
/// schedule of the request is timed whole, its exchange alone and its computation alone.
void bench_case(Case& the_case, const BenchRequest& request, RoofSource& roof,
                const std::function<void(const Record&)>& on_record);

/// The worst of the ranks' checks, with the rank that found it. Collective.
[[nodiscard]] Check worst_of(comm::Communicator& ranks, const Check& mine);

/// The detail of records that were measured while other work took the cores: the part of the time
/// in which threads waited for one.
inline constexpr const char* busy_detail = "busy";

/// The detail of records under `auto`: where the schedule is from, as tune::source_text says it.
inline constexpr const char* source_detail = "schedule_from";

/// The detail of a chain's record that says what its launches alone take, in seconds.
inline constexpr const char* launch_cost_detail = "launch_seconds";

/// One line that says so of records, where it is so; else empty.
[[nodiscard]] std::string busy_text(const std::vector<Record>& records);

} // namespace ridge::lab
