// The files that a kernel's compilation reads, and the names it looks for.
#pragma once

#include "search_folders.hpp"
#include "trace.hpp"

#include <string>
#include <vector>

namespace ridge::launch {

/// The trace of a compilation that read `files`, as its compiler told: all of these but constant
/// ones, and where one that appeared would be read in their stead or beside them.
[[nodiscard]] Trace trace_of(const std::vector<std::string>& files, const SearchFolders& folders);

/// The trace of `source` for compilers that do not tell what they read: all files that it may
/// include under whatever condition, directly or not. Empty for sources of the library's own.
[[nodiscard]] Trace trace_of_source(const std::string& source, const SearchFolders& folders);

/// The files that a rule of make names, as g++, clang and nvcc write it, but its target.
[[nodiscard]] std::vector<std::string> files_of_rule(const std::string& rule);

/// The files that a preprocessed text says it came from.
[[nodiscard]] std::vector<std::string> files_of_preprocessed(const std::string& text);

/// A text at its blanks.
[[nodiscard]] std::vector<std::string> words_of(const std::string& text);

/// The flags of a kernel's source as its build says them, one a line: a folder may have blanks.
[[nodiscard]] std::vector<std::string> flags_of(const std::string& text);

} // namespace ridge::launch
