// Parts of one kernel that are compiled apart, at different times, must come from the same files:
// what describes it to the host, and its executors.
#pragma once

#include <string>

namespace ridge::launch {

/// Takes note that the description of the kernels in `file` was made from the files of a trace.
void note_description(const std::string& file, const std::string& trace);

/// Throws UsageError where a kernel of `file` was compiled from other files than its description.
void require_agreement(const std::string& file, const std::string& trace);

/// How often the description of the kernels in `file` has changed in this process: what was loaded
/// for another number is not theirs.
[[nodiscard]] int generation_of(const std::string& file);

} // namespace ridge::launch
