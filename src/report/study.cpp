// The curves of a scaling study.
#include "study.hpp"

#include <algorithm>
#include <cstdlib>

namespace ridge::report {

namespace {

std::optional<double> counted(const SavedRecord& r, const char* name) {
  for (const Remark& counter : r.counters)
    if (counter.name == name) return std::strtod(counter.text.c_str(), nullptr);
  return std::nullopt;
}

std::optional<StudyPoint> study_point_of(const Entry& entry) {
  const SavedRecord& r = *entry.record;
  const double read = r.bytes_read.value_or(0);
  const double moved = read + r.bytes_written.value_or(0);
  if (is_wrong(r) || r.seconds.value_or(0) <= 0 || moved <= 0) return std::nullopt;
  if (!r.modelled && r.achieved_unit != "B/s") return std::nullopt;
  StudyPoint point{entry, moved / *r.seconds, std::nullopt, std::nullopt};
  const auto fetched = r.modelled ? r.fetched_bytes : counted(r, "bytes_read");
  if (fetched.value_or(0) > 0 && read > 0) point.efficiency = read / *fetched;
  point.hit_rate = r.modelled ? r.hit_rate : counted(r, "hit_rate");
  return point;
}

bool smaller(const StudyPoint& a, const StudyPoint& b) {
  const double points_a = points_of(*a.entry.record), points_b = points_of(*b.entry.record);
  return points_a != points_b ? points_a < points_b : a.entry.record->size < b.entry.record->size;
}

} // namespace

std::vector<StudyCurve> study_curves(const std::vector<Entry>& entries) {
  std::vector<StudyCurve> curves;
  for (const Entry& entry : entries) {
    const auto point = study_point_of(entry);
    if (!point) continue;
    const SavedRecord& r = *entry.record;
    const std::string device = r.device_name.empty() ? device_kind(r.device) : r.device_name;
    const std::string schedule = r.schedule_name.empty() ? r.schedule : r.schedule_name;
    const auto at = std::find_if(curves.begin(), curves.end(), [&](const StudyCurve& c) {
      return c.device == device && c.schedule == schedule && c.modelled == r.modelled;
    });
    StudyCurve& curve = at != curves.end()
                            ? *at
                            : curves.emplace_back(StudyCurve{device, schedule, r.modelled, {}});
    const auto same = std::find_if(curve.points.begin(), curve.points.end(),
                                   [&](const auto& p) { return p.entry.record->size == r.size; });
    if (same == curve.points.end()) {
      curve.points.push_back(*point);
    } else if (same->merit < point->merit) {
      *same = *point;
    }
  }
  for (StudyCurve& curve : curves)
    std::sort(curve.points.begin(), curve.points.end(), smaller);
  return curves;
}

double plane_bytes(const SavedRecord& record) {
  if (record.size.size() != 3) return 0;
  const double bytes = record.precision == "fp32" ? 4 : record.precision == "fp64" ? 8 : 0;
  return static_cast<double>(record.size[0]) * static_cast<double>(record.size[1]) * bytes;
}

} // namespace ridge::report
