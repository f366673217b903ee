// Arrays of numpy.ma: their memory says nothing of what is masked.
#pragma once

#include <nanobind/nanobind.h>

namespace ridge::python {

/// Whether an object is a numpy.ma.MaskedArray or of a class made of it.
[[nodiscard]] bool is_masked(PyObject* object);

} // namespace ridge::python
