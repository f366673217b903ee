// Launches that take longer than the model says: what a record has on them.
#pragma once

namespace ridge::doctor {

/// Times as long as modelled that ask for a cause.
inline constexpr double much_longer = 1.2;
/// Details of a record: seconds as modelled, and those that as many items take with their data in
/// the cache.
inline constexpr const char* modelled_detail = "modelled_seconds";
inline constexpr const char* cached_detail = "cached_seconds";
/// Where a GPU's profiler counted the launch: shares of the time that the busiest of instruction
/// issue and the arithmetic pipes, and of memory and the caches, is busy; instructions of threads
/// an item; and causes that stand on the counters alone, with their gains, in words.
inline constexpr const char* arithmetic_detail = "arithmetic_busy";
inline constexpr const char* memory_detail = "memory_busy";
inline constexpr const char* instructions_detail = "instructions_an_item";
inline constexpr const char* counted_causes_detail = "counted_causes";

} // namespace ridge::doctor
