// What one call from Python asks for: arrays, numbers and where.
#pragma once

#include "arrays.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ridge::python {

struct Call {
  Arrays arrays;
  std::vector<double> numbers;

  /// What the schedule of a call depends on: what was asked for, where everything lies and how
  /// large it is.
  [[nodiscard]] std::string place(std::string_view schedule) const;
  /// What its program depends on: that, and the numbers.
  [[nodiscard]] std::string key(std::string_view schedule) const;
};

/// Looks at a call. `device`: None, or where arrays of the host are computed on. Raises TypeError
/// for arrays that cannot be used in place, numbers that are none, and a device that is no name or
/// where the arrays are not.
[[nodiscard]] Call look_at_call(const Signature& signature, nanobind::tuple arrays,
                                nanobind::tuple numbers, nanobind::object device);

} // namespace ridge::python
