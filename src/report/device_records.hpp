// Records by device, and its ceilings as far as the files have them.
#pragma once

#include <ridge/report/read.hpp>

#include <string>
#include <unordered_map>
#include <vector>

namespace ridge::report {

/// A record and its number on the page, from 1.
struct Entry {
  const SavedRecord* record;
  std::size_t number;
  int file; ///< from 1
};

/// A ceiling as a page shows it: from a file of ceilings, or the ceilings that records were
/// measured against.
struct ShownCeiling {
  std::string name, unit, how;
  double value = 0; ///< the median where there are several
  double low = 0, high = 0;
  bool of_records = false;
};

/// A device: all records of its kind and name.
struct DeviceRecords {
  std::string name; ///< "NVIDIA H200 (cuda)"
  std::vector<Entry> entries;
  std::vector<ShownCeiling> ceilings;
  [[nodiscard]] const ShownCeiling* find(const std::string& ceiling) const;
};

/// Measured records, in the order in which devices first occur. Where records have a ceiling of
/// their own, it is the one shown: their fractions are over it. The pointers are into `files`.
[[nodiscard]] std::vector<DeviceRecords> by_device(const std::vector<Saved>& files);

/// Records that have something in common, in the order in which they first occur.
struct Group {
  std::string name;
  std::vector<Entry> entries;
};

/// All records in the order of the files.
[[nodiscard]] std::vector<Entry> entries_of(const std::vector<Saved>& files);

/// Groups by what `name_of` calls a record; records with an empty name are left out.
template <class NameOf>
std::vector<Group> grouped(const std::vector<Entry>& entries, const NameOf& name_of) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> known;
  for (const Entry& entry : entries) {
    const std::string name = name_of(*entry.record);
    if (name.empty()) continue;
    const auto [at, is_new] = known.try_emplace(name, groups.size());
    if (is_new) groups.push_back({name, {}});
    groups[at->second].entries.push_back(entry);
  }
  return groups;
}

/// What the schedules compared with one another compute: kernel, precision, size and work.
[[nodiscard]] std::string launch_of(const SavedRecord& record);

/// "laplacian fp64": what is compared across sizes and schedules.
[[nodiscard]] std::string kernel_and_precision(const SavedRecord& record);

} // namespace ridge::report
