// Where a compiler looks for headers.
#pragma once

#include <string>
#include <vector>

namespace ridge::launch {

struct SearchFolders {
  std::vector<std::string> all; ///< in the order of the search, behind the including file's own
  std::vector<std::string> own; ///< the compiler's: as long as it is this compiler, they are these
  std::vector<std::string> system; ///< others that it looks into by itself
  bool known = true;               ///< false where the compiler does not tell

  /// The library's own headers, which have a digest of all, and the compiler's.
  [[nodiscard]] bool is_constant(const std::string& file) const;
  /// Whether another program than the user's may have put a file there, such as a package.
  [[nodiscard]] bool is_system(const std::string& file) const;
};

/// Those of a library that compiles kernels alone: what `flags` name, and the environment.
[[nodiscard]] SearchFolders named_folders(const std::vector<std::string>& flags);

/// Those of the C++ compiler `program`, which is asked, with these options.
[[nodiscard]] SearchFolders folders_of(const std::string& program,
                                       const std::vector<std::string>& flags);

/// The variables of the environment that compilers obey, and their values: part of every key.
[[nodiscard]] std::string compiler_environment();

/// Options that say the folders of the environment which are named relative to where this process
/// runs: compilers run elsewhere.
[[nodiscard]] std::vector<std::string> environment_options();

} // namespace ridge::launch
