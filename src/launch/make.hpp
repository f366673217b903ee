// Files that are compiled once: taken from the cache, or made and kept in it.
#pragma once

#include <ridge/launch/demand.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ridge::launch {

/// What a compilation made.
struct Product {
  std::string object;             ///< the file
  std::vector<std::string> files; ///< of the user's, that it was compiled from
};
struct Made {
  std::string file;
  Origin origin;
};

/// `name` says all that the object depends on beside Ridge's headers and library. Where the cache
/// does not have it, `compile` makes it in the folder it is given, while other processes wait.
[[nodiscard]] Made make(const std::string& name,
                        const std::function<Product(const std::string& folder)>& compile);

/// The same, where that has been made and is as it was; empty elsewhere.
[[nodiscard]] std::string made_before(const std::string& name);

/// What people know the kernel of a file by: "heat" of "/home/me/heat.hpp".
[[nodiscard]] std::string kernel_name(const std::string& file);

/// Writes a text to be compiled. Throws Failure when the disk is full.
void write_source(const std::string& file, const std::string& text);

/// The content of a file of the user's, so that another is another key; nothing for Ridge's own
/// headers, which have a digest of all. Throws UsageError where there is none.
[[nodiscard]] std::string content_of(const std::string& file);

} // namespace ridge::launch
