#include "search_folders.hpp"

#include <ridge/device/library.hpp>

#include "toolchain.hpp"
#include "wait.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>

namespace ridge::launch {

namespace fs = std::filesystem;

namespace {

/// What is in there is searched by C++ compilers, as -I and as -isystem.
constexpr std::array folder_variables{"CPATH", "CPLUS_INCLUDE_PATH"};

/// Others that change what compilers do. Only what they read is theirs; PATH finds the compiler.
constexpr std::array other_variables{
    "C_INCLUDE_PATH",     "GCC_EXEC_PREFIX",   "COMPILER_PATH",        "SOURCE_DATE_EPOCH",
    "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CCC_OVERRIDE_OPTIONS", "NVCC_CCBIN",
    "ROCM_PATH",          "HIP_PATH",          "HIP_CLANG_PATH",       "HIP_DEVICE_LIB_PATH",
    "DEVICE_LIB_PATH"};

/// The elements of a list of folders; an empty one means the current folder.
std::vector<std::string> elements_of(const std::string& list) {
  std::vector<std::string> found;
  std::istringstream in(list);
  std::string element;
  while (std::getline(in, element, ':'))
    found.push_back(element);
  if (list.ends_with(':')) found.emplace_back();
  return found;
}

std::string absolute(const std::string& folder) {
  std::error_code failed;
  const fs::path at = fs::absolute(folder.empty() ? "." : folder, failed);
  std::string name = failed ? folder : at.lexically_normal().string();
  while (name.size() > 1 && name.ends_with('/'))
    name.pop_back();
  return name;
}

bool is_in(const std::string& file, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return file.starts_with(folder) && file.size() > folder.size() && file[folder.size()] == '/';
  });
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Folders that options name, in any of the ways compilers have.
std::vector<std::string> folders_in(const std::vector<std::string>& flags) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    for (const std::string_view option : {"-iquote", "-isystem", "-idirafter", "-I"}) {
      if (!flags[i].starts_with(option)) continue;
      if (flags[i].size() > option.size())
        found.push_back(absolute(flags[i].substr(option.size())));
      else if (i + 1 < flags.size())
        found.push_back(absolute(flags[++i]));
      break;
    }
  }
  return found;
}

/// Whether a folder that a compiler searches by itself came with it: /usr/include/c++/12,
/// /usr/lib/gcc/x86_64-linux-gnu/12/include, /usr/lib/llvm-19/lib/clang/19/include.
bool came_with_compiler(const fs::path& folder) {
  return std::any_of(folder.begin(), folder.end(), [](const fs::path& part) {
    const std::string name = part.string();
    return name == "c++" || name == "gcc" || name == "clang" || name.starts_with("llvm-");
  });
}

/// Asks the compiler.
SearchFolders asked(const std::string& program, const std::vector<std::string>& flags) {
  std::vector<std::string> command{program};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-v", "-E", "-x", "c++", "/dev/null", "-o", "/dev/null"});
  const Finished finished =
      run_watched("nothing yet: asking " + program + " for its folders", 1, command, "/");
  SearchFolders folders;
  std::vector<std::string> named = folders_in(flags);
  for (const char* const name : folder_variables) {
    for (const std::string& element : elements_of(variable(name)))
      named.push_back(absolute(element));
  }
  std::istringstream in(finished.report);
  std::string line;
  bool inside = false;
  bool whole = false;
  while (std::getline(in, line)) {
    if (line.ends_with("search starts here:")) inside = true;
    if (line == "End of search list.") whole = true;
    if (!inside || whole || !line.starts_with(' ')) continue;
    const std::string folder = absolute(line.substr(1));
    folders.all.push_back(folder);
    if (has(named, folder) || folder == "/usr/local/include") continue;
    (came_with_compiler(folder) ? folders.own : folders.system).push_back(folder);
  }
  folders.known = finished.status == 0 && whole;
  return folders;
}

} // namespace

bool SearchFolders::is_constant(const std::string& file) const {
  return file.starts_with(headers_folder() + "/") || is_in(file, own);
}

bool SearchFolders::is_system(const std::string& file) const {
  // The innermost folder counts: /usr/local/include lies in none of the others, /usr/include in
  // none of the user's.
  return is_in(file, system);
}

SearchFolders named_folders(const std::vector<std::string>& flags) {
  SearchFolders folders;
  folders.all = folders_in(flags);
  for (const char* const name : folder_variables) {
    for (const std::string& element : elements_of(variable(name)))
      folders.all.push_back(absolute(element));
  }
  return folders;
}

SearchFolders folders_of(const std::string& program, const std::vector<std::string>& flags) {
  static std::mutex guard;
  static auto* const known = new std::map<std::string, SearchFolders>;
  std::string key = program + compiler_environment();
  for (const std::string& flag : flags)
    key += "\n" + flag;
  const std::lock_guard lock(guard);
  const auto at = known->find(key);
  if (at != known->end()) return at->second;
  return known->emplace(key, asked(program, flags)).first->second;
}

std::string compiler_environment() {
  std::string all;
  bool relative = false;
  for (const char* const name : folder_variables) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    all.append(name).append("=").append(value).append("\n");
    for (const std::string& element : elements_of(value))
      relative = relative || !element.starts_with('/');
  }
  for (const char* const name : other_variables) {
    if (const char* const value = std::getenv(name); value != nullptr)
      all.append(name).append("=").append(value).append("\n");
  }
  if (relative) all += "from " + absolute(".") + "\n";
  return all;
}

std::vector<std::string> environment_options() {
  std::vector<std::string> options;
  for (const char* const name : folder_variables) {
    for (const std::string& element : elements_of(variable(name))) {
      if (element.starts_with('/')) continue;
      options.push_back(name == folder_variables[0] ? "-I" + absolute(element)
                                                    : "-isystem" + absolute(element));
    }
  }
  return options;
}

} // namespace ridge::launch
