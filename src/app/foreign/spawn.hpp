// Running a program of the user's: as it would run without us, or once more under a profiler.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridge::app {

/// How a program ended, and what it used.
struct Ended {
  int status = 0; ///< its exit code; 128 + signal where one ended it
  int signal = 0;
  double seconds = 0, user = 0, system = 0;
  double faults = 0, switches = 0, involuntary = 0, most_bytes = 0;
};

/// Where a program's output goes.
enum class Shown { as_is, on_stderr, nowhere };
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs `words` and waits. With `Shown::nowhere` its input is ours again from where that began if
/// it is a file, else empty. A wish to stop (Ctrl-C, SIGTERM) is passed on to the program, which
/// ends in its own way, and then thrown as Interrupted. Throws UsageError where the program is not
/// found or cannot be started.
[[nodiscard]] Ended run_program(const std::vector<std::string>& words, Shown shown,
                                const Environment& more = {});

/// The text about a run that failed though the program's own, of `own_cpu` seconds of the cores,
/// did not, or that did much less; else nothing. `purpose`: "for the timeline".
[[nodiscard]] std::string note_of_another_run(const char* purpose, const Ended& ended,
                                              double own_cpu);

/// "exit code 3", "signal 11 (Segmentation fault)".
[[nodiscard]] std::string to_text(const Ended& ended);

} // namespace ridge::app
