#include "compiling.hpp"

#include <ridge/launch/waiting.hpp>

#include "interrupt.hpp"
#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace ridge::app {

namespace {

std::atomic<double> seconds_of_all{0};

void watch(const launch::Waiting& waiting) {
  static Progress line;
  static bool logged = false; // of the compilation that runs
  if (waiting.over) {
    seconds_of_all += waiting.seconds;
    line.clear();
    logged = false;
    return;
  }
  check_interrupt();
  if (waiting.seconds >= launch::shown_after) line.show("ridge: " + to_text(waiting));
  if (waiting.seconds < launch::logged_after || logged || isatty(STDERR_FILENO) != 0) return;
  logged = true;
  fmt::print(stderr, "ridge: {}\n", to_text(waiting));
}

} // namespace

void watch_compilers() {
  launch::observe_compilers(watch);
}

Seconds compiled_for() {
  return {seconds_of_all.load()};
}

} // namespace ridge::app
