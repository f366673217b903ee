#include "html.hpp"
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace ridge::report {

namespace {

/// Of a launch; the fastest are what one looks for.
constexpr std::size_t most_schedules = 60;

/// The fields of a schedule's text.
std::vector<std::string> fields_of(const SavedRecord& record) {
  std::istringstream words(record.schedule);
  std::vector<std::string> fields;
  for (std::string field; words >> field;)
    fields.push_back(field);
  return fields;
}

/// Fields that all schedules of a group have with the same value.
std::set<std::string> common_fields(const Group& group) {
  const auto first = fields_of(*group.entries.front().record);
  std::set<std::string> common(first.begin(), first.end());
  for (const Entry& entry : group.entries) {
    const auto fields = fields_of(*entry.record);
    std::erase_if(common, [&](const std::string& field) {
      return std::find(fields.begin(), fields.end(), field) == fields.end();
    });
  }
  return common;
}

/// What this schedule has of its own.
std::string own_fields(const SavedRecord& record, const std::set<std::string>& common) {
  std::string own;
  for (const std::string& field : fields_of(record))
    if (!common.contains(field)) own += (own.empty() ? "" : " ") + field;
  return own.empty() ? "schedule" : own;
}

std::string schedule_row(const Entry& entry, double fastest, const std::set<std::string>& common) {
  const SavedRecord& r = *entry.record;
  const auto relative = [&](std::optional<double> seconds) -> std::optional<double> {
    return seconds.value_or(0) > 0 ? std::optional(fastest / *seconds) : std::nullopt;
  };
  const std::string name = r.schedule_name.empty() ? own_fields(r, common) : r.schedule_name;
  if (is_wrong(r)) return fmt::format("<tr class=bad><th>{}<td><td>wrong\n", link_to(entry, name));
  return fmt::format("<tr><th>{}<td>{}<td>{}{}\n", link_to(entry, name),
                     bar(pattern_index(r.pattern), fastest / *r.seconds, relative(r.seconds_max),
                         relative(r.seconds_min)),
                     figure(r.seconds, "s"), r.fraction ? ", " + fraction_text(*r.fraction) : "");
}

/// The schedules of one launch, the fastest first.
std::string schedule_group(const Group& group) {
  std::vector<Entry> order = group.entries;
  std::stable_sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) {
    return std::pair(is_wrong(*a.record), *a.record->seconds) <
           std::pair(is_wrong(*b.record), *b.record->seconds);
  });
  const SavedRecord& first = *order.front().record;
  const std::set<std::string> common = common_fields(group);
  const bool named = std::all_of(order.begin(), order.end(), [](const Entry& entry) {
    return !entry.record->schedule_name.empty();
  });
  std::string all; // what the rows leave out
  for (const std::string& field : fields_of(first))
    if (!named && common.contains(field)) all += " " + field;
  std::string html = fmt::format(
      "<tbody><tr><th colspan=3 scope=rowgroup>{} {}{}\n", escaped(kernel_and_precision(first)),
      size_text(first), all.empty() ? "" : fmt::format(" <span>all:{}</span>", escaped(all)));
  for (std::size_t i = 0; i < std::min(order.size(), most_schedules); ++i)
    html += schedule_row(order[i], *first.seconds, common);
  if (order.size() > most_schedules) {
    html += fmt::format("<tr><th><span>{} slower ones: see the raw data</span><td><td>\n",
                        order.size() - most_schedules);
  }
  return html;
}

} // namespace

std::vector<Group> named_schedules(const std::vector<Entry>& entries) {
  return grouped(entries, [](const SavedRecord& r) {
    return r.schedule_name.empty() ? "" : r.pattern + " " + schedule_text(r);
  });
}

Section schedules_section(const Devices& devices) {
  std::string html;
  for (const DeviceRecords& device : devices) {
    std::string groups;
    for (const Group& group : grouped(device.entries, [](const SavedRecord& r) {
           return r.seconds.value_or(0) > 0 ? launch_of(r) : "";
         })) {
      if (group.entries.size() > 1) groups += schedule_group(group);
    }
    if (groups.empty()) continue;
    html +=
        bar_table("Speed on " + device.name + ", relative to the fastest schedule of each launch",
                  "time", groups);
  }
  return {"schedules", "Schedules compared", html};
}

Section named_schedules_section(const std::vector<Group>& named) {
  std::string rows;
  for (std::size_t n = 0; n < named.size(); ++n) {
    const SavedRecord& r = *named[n].entries.front().record;
    rows += fmt::format("<tr id=s{}><td>{}<td>{}<td>{}\n", n + 1, escaped(r.pattern),
                        escaped(r.schedule_name), escaped(r.schedule));
  }
  if (rows.empty()) return {"named", "", ""};
  return {"named", "Schedules with names",
          html_table("sortable", "What the names of schedules stand for",
                     {"pattern", "name", "schedule"}, rows)};
}

} // namespace ridge::report
