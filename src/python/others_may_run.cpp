#include "others_may_run.hpp"

#include <ridge/core/error.hpp>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ridge::python {

namespace {

std::atomic<int> calls{0};
std::atomic<int> unforkable{0}; ///< of these
thread_local int my_calls = 0;
thread_local int my_unforkable = 0;
std::atomic<bool> ending{false};
std::atomic<bool> cannot_compute{false}; ///< a child that was forked at the wrong moment
std::atomic<int> left_behind{0};

/// The threads of the parent that were in a call are not in a forked child.
void begin_as_child() {
  if (unforkable > my_unforkable) cannot_compute = true;
  if (calls > my_calls) ++left_behind;
  calls = my_calls;
  unforkable = my_unforkable;
}

void before_fork() {
  moments().lock();
}
void after_fork() {
  moments().unlock();
}
void after_fork_as_child() {
  begin_as_child();
  moments().unlock();
}

[[maybe_unused]] const int watches_forks =
    (static_cast<void>(moments()), pthread_atfork(before_fork, after_fork, after_fork_as_child));

} // namespace

std::mutex& moments() {
  static auto* const guard = new std::mutex; // as long as the process, whose threads may go on
  return *guard;
}

int calls_left_behind() {
  return left_behind;
}

Unforkable::Unforkable() {
  ++my_unforkable;
  ++unforkable;
}

Unforkable::~Unforkable() {
  --unforkable;
  --my_unforkable;
}

OthersMayRun::OthersMayRun() {
  if (cannot_compute) {
    throw Failure("this process was forked while another thread compiled or measured in a call of "
                  "ridge, which it cannot go on from; fork between calls, or start processes by "
                  "multiprocessing's 'spawn' or 'forkserver'");
  }
  if (ending) {
    PyEval_SaveThread();
    for (;;)
      pause();
  }
  ++my_calls;
  ++calls; // before the lock is given away: `end_calls` holds it
  state_ = PyEval_SaveThread();
}

OthersMayRun::~OthersMayRun() {
  PyEval_RestoreThread(state_);
  --calls;
  --my_calls;
}

bool is_ending() {
  return ending;
}

void end_calls() {
  ending = true;
  // What threads that go on hold stays until the process ends.
  const nanobind::object threads = nanobind::module_::import_("threading").attr("active_count")();
  if (nanobind::cast<int>(threads) > 1) nanobind::set_leak_warnings(false);
  PyThreadState* const state = PyEval_SaveThread();
  while (calls > 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(state);
}

} // namespace ridge::python
