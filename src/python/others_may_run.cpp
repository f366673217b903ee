#include "others_may_run.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ridge::python {

namespace {

std::atomic<bool> ending{false};

} // namespace

OthersMayRun::OthersMayRun() {
  if (ending) {
    PyEval_SaveThread();
    for (;;)
      pause();
  }
  in_call_.emplace(); // before the lock is given away: `end_calls` holds it
  state_ = PyEval_SaveThread();
}

OthersMayRun::~OthersMayRun() {
  PyEval_RestoreThread(state_);
}

bool is_ending() {
  return ending;
}

void end_calls() {
  ending = true;
  // Objects of threads that go on stay until the process ends, and those of torch's graphs, as
  // torch lets go of nothing once Python ends.
  const nanobind::object threads = nanobind::module_::import_("threading").attr("active_count")();
  const bool has_torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch") != nullptr;
  if (nanobind::cast<int>(threads) > 1 || has_torch) nanobind::set_leak_warnings(false);
  PyThreadState* const state = PyEval_SaveThread();
  while (lab::calls_now() > 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(state);
}

} // namespace ridge::python
