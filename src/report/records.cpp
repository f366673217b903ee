// The table of all records, and the work that it refers to.
#include "html.hpp"
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace ridge::report {

namespace {

/// Names and values: "registers 64, local_bytes 0".
std::string listed(const std::vector<Remark>& remarks) {
  std::string text;
  for (const Remark& remark : remarks)
    text += (text.empty() ? "" : ", ") + escaped(remark.name) + " " + escaped(remark.text);
  return text;
}

std::string check_text(const SavedRecord& r) {
  if (!r.check) return "-";
  if (!r.check->ok) return "FAILED " + escaped(r.check->message);
  return r.check->max_error ? fmt::format("ok {:.1e}", *r.check->max_error) : "ok";
}

std::string fraction_cell(const SavedRecord& r) {
  if (!r.fraction) return "-";
  std::string text = fraction_text(*r.fraction);
  if (r.fraction_low && r.fraction_high) {
    text +=
        fmt::format(" ({} to {})", fraction_text(*r.fraction_low), fraction_text(*r.fraction_high));
  }
  return r.in_cache ? text + " in cache" : text;
}

/// What only some records have.
std::string more_of(const SavedRecord& r) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (r.host_seconds) add("host " + figure(r.host_seconds, "s"));
  if (r.joules) add(figure(r.joules, "J"));
  if (!r.compiled.empty()) add("compiled " + escaped(r.compiled));
  if (r.ranks > 1) add(fmt::format("{} ranks", r.ranks));
  if (!r.counters.empty()) add("counters " + listed(r.counters));
  if (!r.remarks.empty()) add(listed(r.remarks));
  return text;
}

std::string roof_cell(const SavedRecord& r) {
  return r.roof ? escaped(r.roof_name) + " " + figure(r.roof, escaped(r.achieved_unit)) : "-";
}

/// "2.73 T/s, 62.8 Tflop/s" of interactions; bytes a second of others.
std::string achieved_cell(const SavedRecord& r) {
  std::string text = figure(r.achieved, escaped(r.achieved_unit));
  if (r.achieved_unit == "interactions/s" && r.flops.value_or(0) > 0 && r.seconds.value_or(0) > 0)
    text += ", " + figure(*r.flops / *r.seconds, "flop/s");
  return text;
}

/// "cuda:0", with its name where several have that.
std::string device_cell(const SavedRecord& r, bool ambiguous) {
  return escaped(ambiguous ? r.device + " " + r.device_name : r.device);
}

/// The name, which the list of names explains, or the text.
std::string schedule_cell(const SavedRecord& r, int named) {
  if (named == 0) return escaped(r.schedule);
  return fmt::format("<a href=#s{}>{}</a>", named, escaped(r.schedule_name));
}

std::string record_row(const Entry& entry, const std::string& device, int work, int named) {
  const SavedRecord& r = *entry.record;
  return fmt::format("<tr id=r{0}{1}><td>{0}<td>{2}<td>{3}<td>{4}<td>{5}<td>{6}<td>{7}<td>{8}"
                     "<td>{9}<td>{10}<td>{11}<td>{12}<td>{13}<td>{14}<td>{15}<td>{16}",
                     entry.number, is_wrong(r) ? " class=bad" : "", escaped(kernel_text(r)), device,
                     escaped(r.precision), size_text(r), schedule_cell(r, named),
                     figure(r.seconds, "s"), figure(r.seconds_min, "s"), figure(r.seconds_max, "s"),
                     r.repeats ? fmt::format("{:g}", *r.repeats) : "-", achieved_cell(r),
                     roof_cell(r), fraction_cell(r), check_text(r), work, more_of(r));
}

/// The number of each record's group, from 1; 0 where it is in none.
std::vector<int> group_numbers(const std::vector<Group>& groups, std::size_t records) {
  std::vector<int> numbers(records);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const Entry& entry : groups[g].entries)
      numbers[entry.number - 1] = static_cast<int>(g) + 1;
  }
  return numbers;
}

/// Whether a device such as "cuda:0" has several names.
bool ambiguous_devices(const std::vector<Entry>& entries) {
  std::unordered_map<std::string, std::string> names;
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    const SavedRecord& r = *entry.record;
    return names.try_emplace(r.device, r.device_name).first->second != r.device_name;
  });
}

} // namespace

std::vector<Group> works_of(const std::vector<Entry>& entries) {
  return grouped(entries, [](const SavedRecord& r) {
    const auto exact = [](std::optional<double> n) { return n ? fmt::format("{}", *n) : "-"; };
    return fmt::format("{} {} {} {} {} {}", r.pattern, exact(r.bytes_read), exact(r.bytes_written),
                       exact(r.flops), exact(r.items), r.convention);
  });
}

Section work_section(const std::vector<Group>& works) {
  std::string rows;
  for (std::size_t w = 0; w < works.size(); ++w) {
    const SavedRecord& r = *works[w].entries.front().record;
    rows += fmt::format("<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}\n", w + 1,
                        escaped(r.pattern), figure(r.bytes_read, "B"), figure(r.bytes_written, "B"),
                        figure(r.flops, ""), figure(r.items, ""), escaped(r.convention));
  }
  return {
      "conventions", "Work and conventions",
      "<p>Time is the median over the repeats, after a warm-up. Bytes are the least that a launch "
      "has to read and write, operations what its kernel declares. The fraction is what was "
      "achieved of the ceiling measured in the same run; one above 1 comes from data in the "
      "cache, from a schedule that shares work between items, or from a ceiling that was lower "
      "while it was measured.</p>\n" +
          html_table(
              "sortable", "What launches have to do at least; the raw data refer to it by number",
              {"#", "pattern", "read", "written", "operations", "items", "convention"}, rows)};
}

Section records_section(const std::vector<Entry>& entries, const std::vector<Group>& works,
                        const std::vector<Group>& named, bool many_files) {
  const std::vector<int> work = group_numbers(works, entries.size());
  const std::vector<int> name = group_numbers(named, entries.size());
  const bool ambiguous = ambiguous_devices(entries);
  std::string rows;
  for (const Entry& entry : entries) {
    rows += record_row(entry, device_cell(*entry.record, ambiguous), work[entry.number - 1],
                       name[entry.number - 1]);
    rows += many_files ? fmt::format("<td>{}\n", entry.file) : "\n";
  }
  std::vector<std::string> head = {
      "#",    "kernel",  "device",   "precision", "size",     "schedule", "time", "least",
      "most", "repeats", "achieved", "roof",      "fraction", "check",    "work", "more"};
  if (many_files) head.emplace_back("file");
  return {"records", "Raw data",
          html_table("sortable all",
                     "All records; the time is the median of the repeats, and names of schedules "
                     "and numbers of work are those above",
                     head, rows)};
}

} // namespace ridge::report
