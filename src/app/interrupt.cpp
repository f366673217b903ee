#include "interrupt.hpp"

#include <ridge/comm/communicator.hpp>
#include <ridge/device/cpu/pause.hpp>

#include "../io/remains.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>

namespace ridge::app {

namespace {

volatile std::sig_atomic_t asked_to_stop = 0; ///< by which signal
bool ends_launches = false;

/// What is done within a moment ends in better order than a launch that is given up.
void end_launch() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds patience{500};
  static Clock::time_point since; // the question after the signal
  if (!ends_launches || !interrupt_seen()) return;
  if (since == Clock::time_point{}) since = Clock::now();
  if (Clock::now() - since >= patience) throw Interrupted{};
}

/// The default of a signal, without locks and unfinished files left.
extern "C" void end_at_once(int signal) {
  io::end_without_remains(signal);
}

extern "C" void remember(int signal) {
  if (asked_to_stop != 0) end_at_once(signal);
  asked_to_stop = signal;
}

} // namespace

void catch_interrupts() {
  if (comm::launched().ranks == 1) cpu::ask_between_pieces(end_launch);
  (void)std::atexit(io::remove_remains); // by a library that has lost its launcher
  std::signal(SIGINT, remember);
  // Launchers end the ranks of a run of which one has failed by SIGTERM, and that at once.
  std::signal(SIGTERM, comm::launched().ranks == 1 ? remember : end_at_once);
  // A terminal that is closed; nohup has asked to go on.
  if (comm::launched().ranks == 1 && std::signal(SIGHUP, remember) == SIG_IGN)
    std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Compilers that are started have their default again, as of every handler.
  std::signal(SIGPIPE, [](int) {});
}

bool interrupt_seen() {
  return asked_to_stop != 0;
}

bool interrupt_seen_by(comm::Communicator& ranks) {
  const auto of_all = static_cast<std::sig_atomic_t>(ranks.greatest(asked_to_stop));
  if (asked_to_stop == 0) asked_to_stop = of_all; // all end with the same status
  return of_all != 0;
}

int interrupted_status() {
  return 128 + static_cast<int>(asked_to_stop);
}

int closed_pipe_status() {
  return 128 + SIGPIPE;
}

void check_interrupt() {
  if (interrupt_seen()) throw Interrupted{};
}

WithinLaunches::WithinLaunches(bool wanted) : before_(ends_launches) {
  ends_launches = wanted;
}
WithinLaunches::~WithinLaunches() {
  ends_launches = before_;
}

} // namespace ridge::app
