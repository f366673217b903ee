// Running a compiler or another tool: without a shell, its report kept.
#pragma once

#include <string>
#include <vector>

namespace ridge::launch {

struct Finished {
  int status = -1;    ///< exit status; 128 + signal where it was killed; 127 where it did not start
  std::string report; ///< what it wrote to its output and error
};

/// Runs `command` in `folder` and waits for it. Its standard input is empty.
[[nodiscard]] Finished run_command(const std::vector<std::string>& command,
                                   const std::string& folder);

/// Where a program lies: itself where it has a slash, else in PATH; empty where it is not
/// executable.
[[nodiscard]] std::string find_program(const std::string& name);

} // namespace ridge::launch
