// Ceilings that are measured when they are asked for.
#pragma once

#include <ridge/record/roof.hpp>

#include <string_view>

namespace ridge {

/// Ceilings of one device, each measured when first asked for and then remembered.
class RoofSource {
public:
  /// `measures`: else there are no ceilings, as on an emulated GPU.
  explicit RoofSource(Device device, bool quick = false, bool measures = true);
  /// Null when the device has no such ceiling (an emulated GPU has none).
  const Ceiling* find(std::string_view name);
  /// Null when it was not asked for yet.
  [[nodiscard]] const Ceiling* known(std::string_view name) const { return roof_.find(name); }

private:
  Device device_;
  bool quick_, measures_;
  Roof roof_;
};

} // namespace ridge
