// What profilers wrote of launches, of Ridge's kernels or others: rocprof, rocprofv3 and ncu.
#pragma once

#include <ridge/record/record.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// The launches of one kernel in a profile, means of them.
struct ProfiledKernel {
  std::string name;
  int launches = 0;
  Counters counters; ///< bytes from and to memory, and the hit rate of the last-level cache
  std::optional<Seconds> seconds; ///< where the profile has times
};

/// Reads a profile of any of these formats, which its header tells:
/// - rocprof's results.csv: FETCH_SIZE and WRITE_SIZE in units of 1024 bytes, L2CacheHit in
/// percent;
/// - rocprofv3's counter_collection.csv: the same counters, a line each;
/// - ncu's --csv, by --page raw (a column a metric) or as it is by default (a line a metric), in
///   whatever unit it prints.
/// In the order in which kernels first occur. Throws UsageError where it is none of these, is cut
/// off within a line, or lacks bytes read.
[[nodiscard]] std::vector<ProfiledKernel> read_profile(std::string_view text);

/// The kernel of the profile whose name is, or else contains, `name`; the only one where that is
/// empty. Throws UsageError that lists the names where that is none or several.
[[nodiscard]] const ProfiledKernel& find_profiled(const std::vector<ProfiledKernel>& kernels,
                                                  std::string_view name);

/// rocprof's input.txt that counts what read_profile reads. `kernel`: of that kernel alone, where
/// given.
[[nodiscard]] std::string rocprof_input(std::string_view kernel);

} // namespace ridge
