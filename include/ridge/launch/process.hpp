// Running a compiler or another tool: without a shell, its report kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ridge::launch {

struct Finished {
  int status = -1;    ///< exit status; 128 + signal where it was killed; 127 where it did not start
  std::string report; ///< what it wrote to its output and error
};

/// Runs `command` in `folder` and waits for it. Its standard input is empty. `tick`, if there is
/// one, is called about ten times a second meanwhile: what it throws ends the command with all that
/// it has started, and is thrown on. The terminal's Ctrl-C then reaches this process alone.
[[nodiscard]] Finished run_command(const std::vector<std::string>& command,
                                   const std::string& folder,
                                   const std::function<void()>& tick = {});

/// Where a program lies: itself where it has a slash, else in PATH; empty where it is not
/// executable.
[[nodiscard]] std::string find_program(const std::string& name);

} // namespace ridge::launch
