#include "roofline_parts.hpp"

#include <ridge/core/units.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace ridge::report {

namespace {

std::optional<Point> point_of(const Entry& entry) {
  const SavedRecord& r = *entry.record;
  const double bytes = r.bytes_read.value_or(0) + r.bytes_written.value_or(0);
  const double flops = r.flops.value_or(0), seconds = r.seconds.value_or(0);
  if (!(bytes > 0 && flops > 0 && seconds > 0) || is_wrong(r)) return std::nullopt;
  if (!std::isfinite(flops / bytes) || !std::isfinite(flops / seconds)) return std::nullopt;
  Point point{entry, flops / bytes, flops / seconds, 0, false};
  if (r.achieved_unit == "interactions/s" && r.items.value_or(0) > 0)
    point.own_roof = r.roof.value_or(0) * flops / *r.items;
  return point;
}

} // namespace

std::vector<Point> points_of(const DeviceRecords& device) {
  std::vector<Point> points;
  std::unordered_map<std::string, std::size_t> fastest;
  for (const Entry& entry : device.entries) {
    auto point = point_of(entry);
    if (!point) continue;
    const auto [at, is_new] = fastest.try_emplace(launch_of(*entry.record), points.size());
    if (!is_new && point->rate > points[at->second].rate) at->second = points.size();
    points.push_back(*point);
  }
  for (const auto& [launch, index] : fastest)
    points[index].fastest = true;
  return points;
}

std::vector<ShownCeiling> lines_of(const DeviceRecords& device, const std::string& unit) {
  std::vector<ShownCeiling> lines;
  for (const ShownCeiling& c : device.ceilings) {
    const bool one_of_several = c.name.ends_with("_plain") || c.name.ends_with("_nontemporal");
    if (c.unit == unit && c.value > 0 && !one_of_several) lines.push_back(c);
  }
  std::sort(lines.begin(), lines.end(),
            [](const ShownCeiling& a, const ShownCeiling& b) { return a.value < b.value; });
  return lines;
}

std::vector<LineLabel> labels_of(const std::vector<ShownCeiling>& lines, double factor_apart) {
  std::vector<LineLabel> labels;
  for (std::size_t i = 0; i < lines.size();) {
    std::string names = lines[i].name;
    std::size_t next = i + 1;
    for (; next < lines.size() && lines[next].value < factor_apart * lines[next - 1].value; ++next)
      names += ", " + lines[next].name;
    const ShownCeiling& highest = lines[next - 1];
    if (next == i + 1) names += " " + quantity(highest.value, highest.unit);
    labels.push_back({names, highest.value});
    i = next;
  }
  return labels;
}

} // namespace ridge::report
