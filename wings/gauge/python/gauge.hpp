// Gauge configurations and the Wilson operator, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Adds WilsonOperator and what is done with links to the module.
void add_gauge(nanobind::module_& m);

} // namespace ridge::python
