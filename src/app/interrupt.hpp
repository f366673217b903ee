// Ctrl-C: long work asks now and then, and ends in good order.
#pragma once

#include <string>

namespace ridge::comm {
class Communicator;
} // namespace ridge::comm

namespace ridge::app {

/// Thrown by `check_interrupt`; unwinding removes what is unfinished.
struct Interrupted {
  std::string what = "interrupted";
};

/// From now on SIGINT, SIGTERM and SIGHUP are remembered; a second one ends the process at once. A
/// limit on the size of files and a closed pipe become errors of the write instead of signals:
/// unwinding removes what is unfinished.
void catch_interrupts();

/// Whether the user asked to stop.
[[nodiscard]] bool interrupt_seen();
/// Whether the user of any rank did. Collective.
[[nodiscard]] bool interrupt_seen_by(comm::Communicator& ranks);

/// What a shell knows it by: 128 and the signal's number, 130 for Ctrl-C.
[[nodiscard]] int interrupted_status();
/// What a shell knows it by when the reader of standard output has gone: 141.
[[nodiscard]] int closed_pipe_status();

/// Throws Interrupted when the user asked to stop.
void check_interrupt();

/// While one lives, launches on the host of a program of one rank end in Interrupted when the user
/// asked to stop and has waited for half a second. For work that loses nothing but its own time.
class WithinLaunches {
public:
  explicit WithinLaunches(bool wanted = true);
  ~WithinLaunches();
  WithinLaunches(const WithinLaunches&) = delete;
  WithinLaunches& operator=(const WithinLaunches&) = delete;

private:
  bool before_;
};

} // namespace ridge::app
