// Functions of bodies: which are near each other, and their gravity.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

void add_bodies(nanobind::module_& m);

} // namespace ridge::python
