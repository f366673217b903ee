#include <ridge/device/fourier_names.hpp>

#include <map>

namespace ridge {

namespace {

std::map<DeviceKind, FourierNames>& announced() {
  static std::map<DeviceKind, FourierNames> all;
  return all;
}

} // namespace

FourierNames::Row::Row(DeviceKind kind, std::span<const char* const> files, const char* prefix) {
  announced()[kind] = {files, prefix};
}

FourierNames FourierNames::of(DeviceKind kind) {
  const auto found = announced().find(kind);
  return found == announced().end() ? FourierNames{} : found->second;
}

} // namespace ridge
