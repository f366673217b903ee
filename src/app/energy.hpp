// Joules of launches, for the commands that measure them.
#pragma once

#include <ridge/pattern/case.hpp>
#include <ridge/record/energy.hpp>

#include <memory>
#include <string>

namespace ridge::app {

/// Adds joules to records where the device has a counter; where it has none, says why once.
class Energy {
public:
  explicit Energy(const Device& device);
  /// Launches `record`'s schedule for a second more.
  void add_to(Record& record, Case& the_case) const;

private:
  std::unique_ptr<EnergyCounter> counter_;
};

/// "412 mJ at 310 W"; empty for records without.
[[nodiscard]] std::string energy_text(const Record& record);

} // namespace ridge::app
