#include <ridge/report/saved_record.hpp>

#include <fmt/format.h>

namespace ridge::report {

std::string device_kind(const std::string& device) {
  return device.starts_with("simt") ? device : device.substr(0, device.find(':'));
}

std::string size_text(const SavedRecord& record) {
  std::string text;
  for (const Index n : record.size)
    text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

std::string kernel_text(const SavedRecord& record) {
  std::string text = record.kernel;
  if (record.operations) text += fmt::format(" of {:g}", *record.operations);
  return record.site.empty() ? text : text + " " + record.site;
}

std::string schedule_text(const SavedRecord& record) {
  if (record.schedule_name.empty()) return record.schedule;
  if (record.schedule.empty()) return record.schedule_name;
  return record.schedule_name + ": " + record.schedule;
}

double points_of(const SavedRecord& record) {
  double points = 1;
  for (const Index n : record.size)
    points *= static_cast<double>(n);
  return points;
}

} // namespace ridge::report
