#include "html.hpp"
#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::report {

namespace {

/// Of a kernel; a longer list would hide the others.
constexpr std::size_t most_sizes = 20;

/// The record with the highest fraction; of memory if one is, as one in the cache has no roof
/// there.
const Entry& best_of(const Group& group) {
  return *std::max_element(group.entries.begin(), group.entries.end(),
                           [](const Entry& a, const Entry& b) {
                             const auto rank = [](const SavedRecord& r) {
                               return std::pair(!r.in_cache, r.fraction.value_or(0));
                             };
                             return rank(*a.record) < rank(*b.record);
                           });
}

std::string fraction_row(const Entry& entry) {
  const SavedRecord& r = *entry.record;
  const std::string name = r.schedule_name.empty() ? "" : " " + r.schedule_name;
  return fmt::format("<tr><th>{} {}<td>{}<td>{} of {}{}\n", escaped(kernel_and_precision(r)),
                     link_to(entry, size_text(r) + name),
                     bar(pattern_index(r.pattern), *r.fraction, r.fraction_low, r.fraction_high),
                     fraction_text(*r.fraction), escaped(r.roof_name),
                     r.in_cache ? ", in cache" : "");
}

/// The rows of a kernel: all its sizes, or those farthest from the roof.
std::string kernel_rows(const Group& kernel) {
  std::vector<Entry> best;
  for (const Group& launch : grouped(kernel.entries, launch_of))
    best.push_back(best_of(launch));
  const std::size_t left_out = best.size() > most_sizes ? best.size() - most_sizes : 0;
  if (left_out > 0) {
    std::stable_sort(best.begin(), best.end(), [](const Entry& a, const Entry& b) {
      return *a.record->fraction < *b.record->fraction;
    });
    best.resize(most_sizes);
  }
  std::string rows;
  for (const Entry& entry : best)
    rows += fraction_row(entry);
  if (left_out == 0) return rows;
  return rows +
         fmt::format("<tr><th>{} <span>{} more with higher fractions: see the raw data</span>"
                     "<td><td>\n",
                     escaped(kernel.name), left_out);
}

} // namespace

Section fractions_section(const Devices& devices) {
  std::string html;
  for (const DeviceRecords& device : devices) {
    std::string rows;
    for (const Group& kernel : grouped(device.entries, [](const SavedRecord& r) {
           return r.fraction && !is_wrong(r) ? kernel_and_precision(r) : "";
         }))
      rows += kernel_rows(kernel);
    if (rows.empty()) continue;
    html += bar_table("Fraction of the roof on " + device.name +
                          ": the best schedule of each kernel, precision and size",
                      "fraction", rows);
  }
  return {"fractions", "Fractions of the roof by kernel", html};
}

} // namespace ridge::report
