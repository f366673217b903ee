#include "device_records.hpp"

#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::report {

namespace {

DeviceRecords& device_of(std::vector<DeviceRecords>& devices, const std::string& name) {
  const auto at = std::find_if(devices.begin(), devices.end(),
                               [&](const DeviceRecords& d) { return d.name == name; });
  return at != devices.end() ? *at : devices.emplace_back(DeviceRecords{name, {}, {}});
}

/// The ceilings that the records were measured against, each with its spread.
std::vector<ShownCeiling> ceilings_of(const std::vector<Entry>& entries) {
  const auto groups = grouped(entries, [](const SavedRecord& r) {
    // A ceiling in interactions is another one for each kernel.
    return r.roof.value_or(0) > 0 && r.achieved_unit != "interactions/s" ? r.roof_name : "";
  });
  std::vector<ShownCeiling> ceilings;
  for (const Group& group : groups) {
    std::vector<double> values;
    for (const Entry& entry : group.entries)
      values.push_back(*entry.record->roof);
    std::sort(values.begin(), values.end());
    const double median = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
    ceilings.push_back({group.name, group.entries.front().record->achieved_unit,
                        "measured with " + std::to_string(values.size()) +
                            (values.size() == 1 ? " record" : " records"),
                        median, values.front(), values.back(), true});
  }
  return ceilings;
}

} // namespace

const ShownCeiling* DeviceRecords::find(const std::string& ceiling) const {
  const auto at = std::find_if(ceilings.begin(), ceilings.end(),
                               [&](const ShownCeiling& c) { return c.name == ceiling; });
  return at == ceilings.end() ? nullptr : &*at;
}

std::vector<DeviceRecords> by_device(const std::vector<Saved>& files) {
  std::vector<DeviceRecords> devices;
  for (Group& group : grouped(entries_of(files), [](const SavedRecord& r) {
         return r.modelled ? std::string() : device_text(r);
       })) {
    std::vector<ShownCeiling> ceilings = ceilings_of(group.entries);
    devices.push_back({group.name, std::move(group.entries), std::move(ceilings)});
  }
  for (const Saved& file : files) {
    if (!file.roof) continue;
    DeviceRecords& device =
        device_of(devices, device_text(file.roof->device, file.roof->device_name));
    for (const Ceiling& c : file.roof->ceilings) {
      if (device.find(c.name) == nullptr) {
        device.ceilings.push_back({c.name, c.unit, c.how, c.value, c.value, c.value, false});
      }
    }
  }
  return devices;
}

std::vector<Entry> entries_of(const std::vector<Saved>& files) {
  std::vector<Entry> entries;
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (const SavedRecord& record : files[f].records)
      entries.push_back({&record, entries.size() + 1, static_cast<int>(f) + 1});
  }
  return entries;
}

std::string launch_of(const SavedRecord& r) {
  const auto exact = [](std::optional<double> n) { return n ? fmt::format("{}", *n) : "-"; };
  return fmt::format("{} {} {} {} {} {}", kernel_and_precision(r), size_text(r),
                     exact(r.bytes_read), exact(r.bytes_written), exact(r.flops), r.ranks);
}

std::string kernel_and_precision(const SavedRecord& record) {
  return kernel_text(record) + " " + record.precision;
}

} // namespace ridge::report
