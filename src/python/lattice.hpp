// Fields of lattices and expressions of them, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Adds LatticeField and run_lattice to the module.
void add_lattice(nanobind::module_& m);

} // namespace ridge::python
