// Profiles of launches, of Ridge's kernels or others: those of rocprof, rocprofv3 and ncu.
#pragma once

#include <ridge/record/record.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// A launch's use of the device, each figure where the profile has it.
struct ProfiledUse {
  std::optional<double> registers;     ///< of a thread, of 32 bits
  std::optional<double> lds_bytes;     ///< of a block
  std::optional<double> scratch_bytes; ///< of a thread: registers that went to memory
  std::optional<double> waves;         ///< of the launch
  std::optional<double> busy;          ///< 0 to 1: of the time that vector units compute
  std::optional<double>
      active_lanes; ///< 0 to 1: of a warp's lanes, in the instructions it executes
  [[nodiscard]] bool any() const {
    return registers || lds_bytes || scratch_bytes || waves || busy || active_lanes;
  }
};

/// The launches of one kernel in a profile, means of them.
struct ProfiledKernel {
  std::string name;
  int launches = 0;
  Counters counters; ///< bytes from and to memory, and the hit rate of the last-level cache
  std::optional<Seconds> seconds; ///< where the profile has times
  ProfiledUse use = {};
};

/// Reads a profile of any of these formats, which its header tells:
/// - rocprof's results.csv: FETCH_SIZE and WRITE_SIZE in units of 1024 bytes, L2CacheHit in
/// percent;
/// - rocprofv3's counter_collection.csv: the same counters, a line each, and times;
/// - ncu's --csv, by --page raw (a column a metric) or as it is by default (a line a metric), in
///   whatever unit it prints.
/// In the order in which kernels first occur. Throws UsageError where it is none of these, is cut
/// off within a line, or lacks bytes read.
[[nodiscard]] std::vector<ProfiledKernel> read_profile(std::string_view text);

/// The kernel of the profile whose name is, or else contains, `name`; the only one where that is
/// empty. Throws UsageError that lists the names where that is none or several.
[[nodiscard]] const ProfiledKernel& find_profiled(const std::vector<ProfiledKernel>& kernels,
                                                  std::string_view name);

/// The bytes that all launches behind the last fill of memory moved together, in a profile of
/// rocprof or rocprofv3: fills are kernels called "fill". Throws Failure where there is none, or
/// nothing behind it.
[[nodiscard]] Counters counted_since_fill(std::string_view text);

/// rocprof's input.txt that counts what read_profile reads. `kernel`: of that kernel alone, where
/// given.
[[nodiscard]] std::string rocprof_input(std::string_view kernel);

} // namespace ridge
