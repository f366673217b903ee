// What a compiler's report means for the user.
#pragma once

#include <ridge/launch/process.hpp>

#include <string>

namespace ridge::launch {

/// Throws UsageError that names the line of the kernel's file with the first error, or Failure
/// where the compiler itself is broken. `generated` is the source that was compiled.
[[noreturn]] void refuse(const Finished& finished, const std::string& compiler,
                         const std::string& kernel_file, const std::string& generated);

/// The first error at a line of a file in a compiler's report: "FILE:LINE:COLUMN: message"; empty
/// where there is none, and where the disk is full.
[[nodiscard]] std::string first_error(const std::string& report);

} // namespace ridge::launch
