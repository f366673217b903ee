#include <ridge/core/error.hpp>
#include <ridge/report/page.hpp>

#include "html.hpp"
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::report {

namespace {

/// Marks of the points, one a pattern or a curve, which the charts use.
constexpr const char* marks =
    "<svg class=\"marks\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><circle id=\"m0\" "
    "r=\"4\"/>"
    "<path id=\"m1\" d=\"M-3.6-3.6h7.2v7.2h-7.2z\"/><path id=\"m2\" d=\"M0-4.8L4.6 3.4H-4.6z\"/>"
    "<path id=\"m3\" d=\"M0-5L5 0 0 5-5 0z\"/><path id=\"m4\" d=\"M0 4.8L4.6-3.4H-4.6z\"/>"
    "<path id=\"m5\" d=\"M-4.6 0L-2.3-4h4.6L4.6 0 2.3 4h-4.6z\"/>"
    "<path id=\"m6\" d=\"M-4.8 0L3.4-4.6V4.6z\"/><path id=\"m7\" d=\"M4.8 0L-3.4-4.6V4.6z\"/>"
    "</defs></svg>\n";

/// What one should know first: how many, of what, and whether they are right.
std::string summary(const Devices& devices, const std::vector<Entry>& entries) {
  std::string html;
  for (const DeviceRecords& device : devices) {
    std::size_t checked = 0;
    std::vector<const Entry*> failed;
    std::vector<double> fractions;
    for (const Entry& entry : device.entries) {
      const SavedRecord& r = *entry.record;
      checked += r.check ? 1 : 0;
      if (is_wrong(r)) failed.push_back(&entry);
      if (r.fraction && !r.in_cache && !is_wrong(r)) fractions.push_back(*r.fraction);
    }
    html += fmt::format("<p>{}: {} {}, {} checked, {} wrong.", escaped(device.name),
                        device.entries.size(), device.entries.size() == 1 ? "record" : "records",
                        checked, failed.size());
    if (!fractions.empty()) {
      std::sort(fractions.begin(), fractions.end());
      html += fmt::format(" Fractions of the roof from {} to {}, median {}.",
                          fraction_text(fractions.front()), fraction_text(fractions.back()),
                          fraction_text(fractions[fractions.size() / 2]));
    }
    html += "</p>\n";
    for (const Entry* const entry : failed) {
      html += fmt::format("<p class=\"bad\">Check failed: {} {}. {}</p>\n",
                          link_to(*entry, kernel_and_precision(*entry->record)),
                          size_text(*entry->record), escaped(entry->record->check->message));
    }
  }
  const auto modelled = std::count_if(entries.begin(), entries.end(),
                                      [](const Entry& e) { return e.record->modelled; });
  if (modelled > 0) html += fmt::format("<p>{} modelled, not run.</p>\n", modelled);
  return html;
}

std::string names_of(const std::vector<Entry>& entries) {
  std::string names;
  for (const Group& device : grouped(entries, [](const SavedRecord& r) { return device_text(r); }))
    names += (names.empty() ? "" : ", ") + device.name;
  return names;
}

} // namespace

std::string page(const std::vector<Saved>& files) {
  const Devices devices = by_device(files);
  const std::vector<Entry> entries = entries_of(files);
  if (entries.empty())
    throw UsageError("there are no records; give files of them, as ridge bench --json prints");
  const std::vector<Group> works = works_of(entries), named = named_schedules(entries);
  std::string body, contents;
  for (const Section& section :
       {roofline_section(devices), fractions_section(devices), study_section(entries),
        sizes_section(devices), schedules_section(devices), named_schedules_section(named),
        diagnoses_section(devices), work_section(works), devices_section(devices, files),
        records_section(entries, works, named, files.size() > 1)}) {
    if (section.html.empty()) continue;
    contents += fmt::format("<a href=\"#{}\">{}</a> ", section.id, section.title);
    body += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">"
                        "{1}</h2>\n{2}</section>\n",
                        section.id, section.title, section.html);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"ridge report\">\n"
      "<title>Ridge report: {}</title>\n<style>{}</style>\n</head>\n<body>\n{}<header>\n"
      "<h1>Ridge report</h1>\n{}<nav aria-label=\"Sections\">{}</nav>\n</header>\n<main>\n{}"
      "</main>\n<script>{}</script>\n</body>\n</html>\n",
      page_style().sha256, page_script().sha256, escaped(names_of(entries)), page_style().text,
      marks, summary(devices, entries), contents, body, page_script().text);
}

} // namespace ridge::report
