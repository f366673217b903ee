// Modules of the wings that this build has.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Makes ridge._NAME, beside this one, of each wing NAME that has a part of the package.
void add_wings();

} // namespace ridge::python
