// Patients: a kernel at one size on one device, whose launches are examined under any schedule
// without running them.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/doctor/facts.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::doctor {

/// What is to be examined.
struct Examination {
  /// One that is here, or the emulated GPU whose schedules a described one takes.
  Device device;
  model::Description description;
  bool here = false; ///< schedules mean on `device` what they mean on what is described
  Extents size;
  std::string precision = "fp64";
  std::string site = {}; ///< lattices: what a site holds; empty: a propagator
  int operations = 10;   ///< of a chain
  double fill_cost = 1;  ///< of a byte that a store makes the cache read, in bytes of a copy
};

/// A schedule as text, with the name it is known by; empty where it has none.
struct Prescription {
  std::string name, schedule;
};

/// A change that no cause asks for, and that the model promises no gain of.
struct Advice {
  std::string text;     ///< for people
  std::string schedule; ///< that follows it
};

class Patient {
public:
  Patient() = default;
  Patient(const Patient&) = delete;
  Patient& operator=(const Patient&) = delete;
  virtual ~Patient() = default;

  /// The whole of a schedule: `auto`, a name, or fields. Throws UsageError that lists what is
  /// right.
  [[nodiscard]] virtual Prescription parse(const std::string& asked) const = 0;
  [[nodiscard]] virtual Facts facts(const std::string& schedule) const = 0;
  /// Possible schedules that differ from this one in a field.
  [[nodiscard]] virtual std::vector<Prescription> changes(const std::string& schedule) const = 0;
  /// Schedules with names, and the default.
  [[nodiscard]] virtual std::vector<Prescription> named() const = 0;
  /// What may pay beyond schedules of this launch; of a launch with these facts and this time.
  [[nodiscard]] virtual std::optional<Advice> advice(const Facts& /*facts*/,
                                                     const model::Time& /*time*/) const {
    return {};
  }
};

} // namespace ridge::doctor
