// Reports of NVIDIA's profiler, ncu, on the memory counters of launches.
#pragma once

#include <ridge/record/record.hpp>

#include <string>
#include <string_view>

namespace ridge {

/// The metrics that `parse_ncu_report` reads, as ncu's --metrics takes them.
[[nodiscard]] std::string ncu_metrics();

/// Sums the launches of a report by `ncu --csv --page raw --print-units base`: bytes from and to
/// DRAM, and hits of the L2. Throws Failure where there is none: with what to set when ncu was not
/// permitted to count, else with what it said.
[[nodiscard]] Counters parse_ncu_report(std::string_view report);

} // namespace ridge
