#include "interrupt.hpp"

#include <ridge/core/error.hpp>
#include <ridge/device/cpu/pause.hpp>
#include <ridge/launch/waiting.hpp>

#include "others_may_run.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace ridge::python {

namespace {

void watch(const launch::Waiting& waiting) {
  if (waiting.over && (waiting.seconds < launch::shown_after || is_ending())) return;
  if (!waiting.over) check_interrupt();
  if (waiting.seconds < launch::shown_after) return;
  const nb::gil_scoped_acquire interpreter;
  try {
    nb::module_::import_("ridge._progress")
        .attr("compiling")(to_text(waiting), waiting.seconds >= launch::logged_after, waiting.over);
  } catch (nb::python_error& e) {
    if (!waiting.over) throw;
    e.discard_as_unraisable("ridge._progress.compiling");
  }
}

} // namespace

void check_interrupt() {
  if (is_ending()) throw Failure("the interpreter ends");
  const nanobind::gil_scoped_acquire interpreter;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

void heed_interrupts() {
  launch::observe_compilers(watch);
  cpu::ask_between_pieces(check_interrupt);
}

} // namespace ridge::python
