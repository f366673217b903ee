// The ranks that a launcher has started.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Adds what Python knows of ranks to the module.
void add_ranks(nanobind::module_& m);

} // namespace ridge::python
