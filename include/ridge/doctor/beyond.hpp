// Launches that take longer than the model says: what a record has on them.
#pragma once

namespace ridge::doctor {

/// Times as long as modelled that ask for a cause.
inline constexpr double much_longer = 1.25;
/// Details of a record: seconds as modelled, and those that as many items take with their data in
/// the cache.
inline constexpr const char* modelled_detail = "modelled_seconds";
inline constexpr const char* cached_detail = "cached_seconds";

} // namespace ridge::doctor
