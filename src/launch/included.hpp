// The user's files that a kernel source includes.
#pragma once

#include <string>
#include <vector>

namespace ridge::launch {

/// `source` and what it includes, directly or not, as far as it lies beside the file that includes
/// it or in a folder that `flags` name by -I; nothing for Ridge's own headers. For compilers that
/// do not list what they read.
[[nodiscard]] std::vector<std::string> included_files(const std::string& source,
                                                      const std::string& flags);

/// A text at its blanks.
[[nodiscard]] std::vector<std::string> words_of(const std::string& text);

} // namespace ridge::launch
