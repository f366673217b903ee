// What the scaling study draws: launches of a kernel over sizes, by device and schedule.
#pragma once

#include "device_records.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ridge::report {

/// One launch of a study: the fastest of its size.
struct StudyPoint {
  Entry entry;
  double merit = 0;                 ///< figure of merit: least bytes over time, bytes a second
  std::optional<double> efficiency; ///< least bytes read over those fetched from memory
  std::optional<double> hit_rate;   ///< of the last-level cache, 0 to 1
};

/// The launches of a device under a schedule, measured or modelled.
struct StudyCurve {
  std::string device, schedule;
  bool modelled = false;
  std::vector<StudyPoint> points; ///< smallest size first
};

/// The curves of the records of one kernel and precision, in the order in which they first occur.
[[nodiscard]] std::vector<StudyCurve> study_curves(const std::vector<Entry>& entries);

/// Bytes of a plane (x and y) of a field; 0 where sizes have no three dimensions.
[[nodiscard]] double plane_bytes(const SavedRecord& record);

} // namespace ridge::report
