// Files and tools of profilers: folders for a while, what is kept, where a tool lies.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/launch/process.hpp>

#include "profilers.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ridge::app {

/// A folder that vanishes with what is in it.
class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "ridge-doctor-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Failure("no temporary folder can be made in " +
                    std::filesystem::temp_directory_path().string());
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name = "") const {
    return (path_ / name).string();
  }

private:
  std::filesystem::path path_;
};

inline std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The program of a variable, else one of a name; empty where there is none. Throws UsageError
/// where the variable names none.
inline std::string profiler(const char* variable, const std::vector<std::string>& names) {
  if (const char* const given = std::getenv(variable)) {
    std::string found = launch::find_program(given);
    if (found.empty()) throw UsageError(fmt::format("{}={}: no such program", variable, given));
    return found;
  }
  for (const std::string& name : names)
    if (std::string found = launch::find_program(name); !found.empty()) return found;
  return {};
}

/// Keeps a text in the folder of --keep, where there is one.
inline void keep_text(const std::string& folder, const std::string& text, const char* name) {
  if (!folder.empty() && !text.empty()) std::ofstream(std::filesystem::path(folder) / name) << text;
}
inline void keep_file(const Profiled& program, const std::string& file, const char* name) {
  std::error_code ignored; // what is kept is beside the answer
  if (!program.keep.empty())
    std::filesystem::copy_file(file, std::filesystem::path(program.keep) / name, ignored);
}

} // namespace ridge::app
