// The sections of the page. Each is empty where the records have nothing for it.
#pragma once

#include "device_records.hpp"

namespace ridge::report {

using Devices = std::vector<DeviceRecords>;

/// A section's title, its anchor on the page, and its HTML.
struct Section {
  std::string id, title, html;
};

/// Operations a second over operations a byte, below the device's ceilings; a chart a device.
[[nodiscard]] Section roofline_section(const Devices& devices);
/// Bars of the fraction of the roof: for each kernel, precision and size its best schedule.
[[nodiscard]] Section fractions_section(const Devices& devices);
/// Time over size, for kernels with several sizes.
[[nodiscard]] Section sizes_section(const Devices& devices);
/// Figure of merit, fetch efficiency and hit rate over size and over the plane, for kernels with at
/// least three sizes; measured and modelled launches.
[[nodiscard]] Section study_section(const std::vector<Entry>& entries);
/// Bars of speed relative to the fastest, for launches with several schedules.
[[nodiscard]] Section schedules_section(const Devices& devices);
/// Schedules with names, by name and text.
[[nodiscard]] std::vector<Group> named_schedules(const std::vector<Entry>& entries);
/// What these names stand for, numbered as the table of records refers to them.
[[nodiscard]] Section named_schedules_section(const std::vector<Group>& named);
/// Causes of slowness that records carry.
[[nodiscard]] Section diagnoses_section(const Devices& devices);
/// What launches have to do at least, and what counts as a byte and an operation; numbered as the
/// table of records refers to it.
[[nodiscard]] Section work_section(const std::vector<Group>& works);
/// Devices with their ceilings, and files.
[[nodiscard]] Section devices_section(const Devices& devices, const std::vector<Saved>& files);
/// All records.
[[nodiscard]] Section records_section(const std::vector<Entry>& entries,
                                      const std::vector<Group>& works,
                                      const std::vector<Group>& named, bool many_files);

/// Records by what they have to do: the same pattern, bytes, operations, items and convention.
[[nodiscard]] std::vector<Group> works_of(const std::vector<Entry>& entries);

/// `<a href=#r12>kernel3</a>`: a link to the record in the table of all.
[[nodiscard]] std::string link_to(const Entry& entry, const std::string& text);
/// A table of bars, whose rows are HTML: what it is, a bar, and what the last column says.
[[nodiscard]] std::string bar_table(const std::string& caption, const std::string& last,
                                    const std::string& rows);
/// A bar from 0 on an axis up to 1.25, and its interval, as lengths of that axis; what is beyond it
/// is cut, with a mark.
[[nodiscard]] std::string bar(int pattern, double value, std::optional<double> low,
                              std::optional<double> high);

/// The page's style and script, with the digests by which its policy allows them.
struct Inline {
  std::string text, sha256; ///< the digest in base 64
};
[[nodiscard]] const Inline& page_style();
[[nodiscard]] const Inline& page_script();

} // namespace ridge::report
