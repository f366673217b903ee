#include <ridge/record/roof_source.hpp>

#include <string>
#include <utility>

namespace ridge {

RoofSource::RoofSource(Device device, bool quick, bool measures)
    : device_(std::move(device)), quick_(quick), measures_(measures) {}

const Ceiling* RoofSource::find(std::string_view name) {
  if (!measures_) return nullptr;
  if (const Ceiling* const known = roof_.find(name)) return known;
  RoofOptions options;
  options.quick = quick_;
  options.only = {std::string(name)};
  for (Ceiling& measured : measure_roof(device_, options).ceilings)
    roof_.ceilings.push_back(std::move(measured));
  return roof_.find(name);
}

} // namespace ridge
