// What a compiler of the machine reads of a source, found before or while it is compiled.
#pragma once

#include "compilers.hpp"
#include "make.hpp"

#include <ctime>
#include <string>
#include <vector>

namespace ridge::launch {

/// A source of the user's, or of the library's, in the folder where it is compiled.
struct SourceInFolder {
  const Compiler& compiler;
  std::string folder;               ///< where the compiler runs
  std::string name;                 ///< of the text that is compiled, in the folder
  std::string file;                 ///< the kernel's, which that includes
  std::vector<std::string> options; ///< all but those of the compiler, with where headers are
};

/// The file in the folder with the trace of headers that were compiled beforehand.
constexpr const char* prelude_trace = "prelude.trace";

/// Preprocesses the source to `text_name` in the folder, until the files it reads have stayed as
/// they were meanwhile. Throws UsageError when they do not, and for errors in them.
[[nodiscard]] Preprocessed preprocess(const SourceInFolder& source, const std::string& text_name);

/// What a compilation of the source will read, as far as that can be told before it.
[[nodiscard]] Trace trace_before(const SourceInFolder& source);
/// What it read, by the rule of make that it wrote, and `before`; it began at `moment`. Throws
/// UsageError when a file was changed meanwhile.
[[nodiscard]] Trace trace_after(const SourceInFolder& source, const std::string& rule_file,
                                const Trace& before, std::time_t moment);

} // namespace ridge::launch
