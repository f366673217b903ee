// What lies beyond the faces of an array of Python, filled in place by one launch.
#pragma once

#include <ridge/stencil/boundary.hpp>

#include "arrays.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <string>

namespace ridge::python {

class Faces {
public:
  /// `boundary` is what stencil::parse_boundaries reads; arrays have `reach` points, x first,
  /// beyond every face that is not untouched. Of `even` arrays, coefficients, nothing is fixed and
  /// all reflection is even. Throws UsageError for a boundary that there is not.
  Faces(const std::string& boundary, const std::array<Index, 3>& reach,
        const std::array<double, 3>& spacing, bool even);

  /// Sets what faces fix and what lies beyond them, in the order of the array's stream; on a cpu it
  /// returns when all is there.
  void fill(nanobind::object array) const;

private:
  template <class T>
  void fill_of(Queue& queue, const Array& array) const;

  stencil::Boundaries boundaries_;
  stencil::Offset reach_;
  bool even_;
};

/// Adds it to the module.
void add_faces(nanobind::module_& m);

} // namespace ridge::python
