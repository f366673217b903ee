#include "html.hpp"
#include "sections.hpp"

#include <fmt/format.h>

namespace ridge::report {

Section diagnoses_section(const Devices& devices) {
  std::string rows;
  for (const DeviceRecords& device : devices) {
    for (const Entry& entry : device.entries) {
      const SavedRecord& r = *entry.record;
      for (const Diagnosis& d : r.diagnoses) {
        rows += fmt::format(
            "<tr><th scope=\"row\">{} <span>{} {}</span><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}\n",
            escaped(kernel_and_precision(r)), size_text(r),
            link_to(entry, r.schedule_name.empty() ? "schedule" : r.schedule_name),
            escaped(d.cause), escaped(d.evidence), escaped(d.threshold), escaped(d.predicted_gain),
            escaped(d.proved_gain), escaped(d.fix));
      }
    }
  }
  if (rows.empty()) return {"diagnoses", "", ""};
  return {"diagnoses", "Diagnoses",
          html_table(
              "facts", "What slows launches down, with the evidence and what a run proved",
              {"launch", "cause", "evidence", "threshold", "gain predicted", "gain proved", "fix"},
              rows)};
}

Section devices_section(const Devices& devices, const std::vector<Saved>& files) {
  std::string html;
  for (const DeviceRecords& device : devices) {
    std::string rows;
    for (const ShownCeiling& c : device.ceilings) {
      rows += fmt::format("<tr><th scope=\"row\">{}<td>{}<td>{}<td>{}\n", escaped(c.name),
                          figure(c.value, escaped(c.unit)),
                          c.low < c.high ? fmt::format("{} to {}", figure(c.low, escaped(c.unit)),
                                                       figure(c.high, escaped(c.unit)))
                                         : "-",
                          escaped(c.how));
    }
    const std::string caption = fmt::format("{}: {} {}", device.name, device.entries.size(),
                                            device.entries.size() == 1 ? "record" : "records");
    html += rows.empty() ? fmt::format("<p>{}, no ceilings.</p>\n", escaped(caption))
                         : html_table("facts", caption + ", and the ceilings measured on it",
                                      {"ceiling", "value", "spread", "how"}, rows);
  }
  std::string items;
  for (const Saved& file : files) {
    items += fmt::format("<li>{}: {}\n", escaped(file.name),
                         file.roof ? "ceilings"
                                   : fmt::format("{} {}", file.records.size(),
                                                 file.records.size() == 1 ? "record" : "records"));
  }
  return {"devices", "Devices and files",
          html + fmt::format("<details><summary>{} {}</summary><ol>\n{}</ol></details>\n",
                             files.size(), files.size() == 1 ? "file" : "files", items)};
}

} // namespace ridge::report
