#include <ridge/lab/calls.hpp>

#include "../core/refuse.hpp"

#include <pthread.h>

#include <atomic>

namespace ridge::lab {

namespace {

std::atomic<int> calls{0};
std::atomic<int> unforkable{0}; ///< of these
thread_local int my_calls = 0;
thread_local int my_unforkable = 0;
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

int calls_now() {
  return calls;
}

InCall::InCall() {
  fail_if(cannot_compute, "this process was forked while another thread compiled or measured in a "
                          "call of ridge, which it cannot go on from; fork between calls, or start "
                          "processes by multiprocessing's 'spawn' or 'forkserver'");
  ++my_calls;
  ++calls;
}

InCall::~InCall() {
  --calls;
  --my_calls;
}

Unforkable::Unforkable() {
  ++my_unforkable;
  ++unforkable;
}

Unforkable::~Unforkable() {
  --unforkable;
  --my_unforkable;
}

} // namespace ridge::lab
