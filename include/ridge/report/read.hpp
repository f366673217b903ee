// Reading what `--json` wrote.
#pragma once

#include <ridge/report/saved_record.hpp>

#include <filesystem>
#include <string_view>

namespace ridge::report {

/// The content of one file: an array of records, or the ceilings of a device.
struct Saved {
  std::string name; ///< of the file, as the user called it
  std::vector<SavedRecord> records;
  std::optional<SavedRoof> roof;
};

/// The version of records that this Ridge reads. Records that say none are of this one.
inline constexpr int record_version = 1;

/// Reads the JSON of records or ceilings. Fields that are missing or null are absent; what
/// identifies a launch (kernel, device, precision, size) may not be. Throws UsageError, naming
/// `name`, the record and what would be right, for a text that is empty, no JSON, no array of
/// records, holds none, or has records of another version or fields of the wrong type.
[[nodiscard]] Saved parse_saved(std::string_view text, const std::string& name);

/// Reads a file. UsageError when it cannot be read.
[[nodiscard]] Saved read_saved(const std::filesystem::path& file);

} // namespace ridge::report
