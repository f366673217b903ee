#include "interrupt.hpp"

#include <ridge/comm/communicator.hpp>
#include <ridge/device/cpu/pause.hpp>

#include "../io/remains.hpp"
#include "interrupt_source.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>

namespace ridge::app {

namespace {

volatile std::sig_atomic_t asked_to_stop = 0; ///< by which signal
volatile std::sig_atomic_t by_terminal = 0;
bool ends_launches = false;

/// Work that is done within a moment ends in better order than a launch that is given up.
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

extern "C" void remember(int signal, siginfo_t* facts, void* /*context*/) {
  if (asked_to_stop != 0) end_at_once(signal);
  by_terminal = facts->si_code == SI_KERNEL; // kill() has the sender's number
  asked_to_stop = signal;
}

void catch_signal(int signal) {
  struct sigaction action {};
  action.sa_sigaction = remember;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

} // namespace

void catch_interrupts() {
  if (comm::launched().ranks == 1) cpu::ask_between_pieces(end_launch);
  (void)std::atexit(io::remove_remains); // by a library that has lost its launcher
  catch_signal(SIGINT);
  // Launchers end the ranks of a run of which one has failed by SIGTERM, and that at once.
  const bool alone = comm::launched().ranks == 1;
  if (alone)
    catch_signal(SIGTERM);
  else
    std::signal(SIGTERM, end_at_once);
  // A terminal that is closed; nohup has asked to go on.
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (alone && hangup.sa_handler != SIG_IGN) catch_signal(SIGHUP);
  std::signal(SIGXFSZ, SIG_IGN);
  // Compilers that are started have their default again, as of every handler.
  std::signal(SIGPIPE, [](int) {});
}

bool interrupt_seen() {
  return asked_to_stop != 0;
}

bool interrupt_by_terminal() {
  return by_terminal != 0;
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
