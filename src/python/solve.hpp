// Elliptic problems on arrays of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Adds `solve_grid` and `copy_rate`.
void add_solve(nanobind::module_& m);

} // namespace ridge::python
