// Files that are compiled once: taken from the cache, or made and kept in it.
#pragma once

#include <ridge/launch/demand.hpp>

#include "trace.hpp"

#include <functional>
#include <string>

namespace ridge::launch {

/// What a compilation made.
struct Product {
  std::string object; ///< the file
  Trace trace;        ///< of its compilation
};
struct Made {
  std::string file;
  Origin origin;
  std::string trace; ///< its lines: which files it was made from
};

/// `name` says all that the object depends on beside Ridge's headers and library, the environment
/// and what its trace says. Where the cache does not have it, `compile` makes it in the folder it
/// is given, while other processes wait.
[[nodiscard]] Made make(const std::string& name,
                        const std::function<Product(const std::string& folder)>& compile);

/// What people know the kernel of a file by: "heat" of "/home/me/heat.hpp".
[[nodiscard]] std::string kernel_name(const std::string& file);

/// A source that was preprocessed.
struct Preprocessed {
  std::string text; ///< the digest of all that its object depends on beside the compiler
  Trace trace;
};
/// Another way of the same: the object is made from the preprocessed text alone, so it goes by that
/// and by `compiler`, what it depends on of the compiler. `name` is what is asked for, for which
/// `preprocess` writes the text into the folder; `compile` then makes the object of it. Where all
/// files that a text came from are as they were, it is not preprocessed again.
[[nodiscard]] Made make(const std::string& compiler, const std::string& name,
                        const std::function<Preprocessed(const std::string& folder)>& preprocess,
                        const std::function<std::string(const std::string& folder)>& compile);

/// Writes a text to be compiled. Throws Failure when the disk is full.
void write_source(const std::string& file, const std::string& text);

/// The content of a file of the user's, so that another is another key; nothing for Ridge's own
/// headers, which have a digest of all. Throws UsageError where there is none.
[[nodiscard]] std::string content_of(const std::string& file);

} // namespace ridge::launch
