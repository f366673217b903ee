// What a roofline shows: points and ceilings.
#pragma once

#include "device_records.hpp"

namespace ridge::report {

/// A record on a roofline.
struct Point {
  Entry entry;
  double intensity; ///< operations a byte
  double rate;      ///< operations a second
  double own_roof;  ///< operations a second; 0 where its roof is one of the lines, or absent
  bool fastest;     ///< of the schedules of its launch
};

/// What can be drawn of a device's records: those that have bytes, operations and time, and are not
/// wrong.
[[nodiscard]] std::vector<Point> points_of(const DeviceRecords& device);

/// The ceilings of a unit, lowest first: the memory's, or those of arithmetic. Of a cpu's, only the
/// best way of each.
[[nodiscard]] std::vector<ShownCeiling> lines_of(const DeviceRecords& device,
                                                 const std::string& unit);

/// Text above a ceiling.
struct LineLabel {
  std::string text;
  double value; ///< of the ceiling, the highest where several share the text
};

/// "copy 4.25 TB/s"; neighbours less than `factor_apart` from the one below share a label, "copy,
/// triad, read", as theirs would lie on one another.
[[nodiscard]] std::vector<LineLabel> labels_of(const std::vector<ShownCeiling>& lines,
                                               double factor_apart);

} // namespace ridge::report
