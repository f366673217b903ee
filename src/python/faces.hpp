// Points beyond the faces of an array of Python, filled in place by one launch.
#pragma once

#include <ridge/gradient/faces.hpp>

#include "arrays.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <string>

namespace ridge::python {

class Faces {
public:
  /// As gradient::Faces.
  Faces(const std::string& boundary, const std::array<Index, 3>& reach,
        const std::array<double, 3>& spacing, bool even);

  /// Sets what faces fix and what lies beyond them, in the order of the array's stream; on a cpu it
  /// returns when all is there.
  void fill(nanobind::object array) const;

private:
  gradient::Faces faces_;
};

/// Adds it to the module.
void add_faces(nanobind::module_& m);

} // namespace ridge::python
