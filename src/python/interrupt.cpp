#include "interrupt.hpp"

#include <ridge/core/error.hpp>

#include "others_may_run.hpp"

#include <nanobind/nanobind.h>

namespace ridge::python {

void check_interrupt() {
  if (is_ending()) throw Failure("the interpreter ends");
  const nanobind::gil_scoped_acquire interpreter;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

} // namespace ridge::python
