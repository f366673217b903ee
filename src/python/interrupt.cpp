#include "interrupt.hpp"

#include <nanobind/nanobind.h>

namespace ridge::python {

void check_interrupt() {
  const nanobind::gil_scoped_acquire interpreter;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

} // namespace ridge::python
