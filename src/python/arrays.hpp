// Arrays of Python as their libraries describe them: never copied, never cast.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/python/arguments.hpp>

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace ridge::python {

/// The arrays of one call, and where they are.
struct Arrays {
  std::vector<Array> all;
  DeviceId device;                    ///< cpu for memory of the host
  void* stream = nullptr;             ///< of a GPU: the current one of the first array's library
  std::vector<nanobind::object> kept; ///< what keeps descriptions of arrays valid
};

/// Looks at `objects`, of which the last is written to; `names` are theirs, for errors, which begin
/// with `kernel`; `rank` is that of all arrays, 0: any. Raises TypeError that says what would be
/// right.
[[nodiscard]] Arrays look_at(nanobind::tuple objects, const std::vector<std::string>& names,
                             const std::string& kernel, int rank);

} // namespace ridge::python
