#include <ridge/core/file.hpp>
#include <ridge/device/library.hpp>
#include <ridge/launch/source_digest.hpp>

#include "cache.hpp"
#include "compilers.hpp"
#include "hash.hpp"
#include "included.hpp"
#include "make.hpp"
#include "wait.hpp"

#include <array>
#include <sstream>

namespace ridge::launch {

namespace {

/// Headers that come with a compiler or a system: with the next version of either they are others,
/// and the kernel is the same.
bool is_system_header(const std::string& file) {
  constexpr std::array<const char*, 4> folders{"/sysroot/usr/include/", "/lib/gcc/",
                                               "/include/c++/", "/lib/clang/"};
  if (file.starts_with("/usr/include/") || file.starts_with("/usr/lib/")) return true;
  for (const char* const folder : folders) {
    if (file.find(folder) != std::string::npos) return true;
  }
  return file.starts_with("<"); // <built-in>, <command-line>
}

/// The file that a line of the preprocessed text says the next ones are from: # 12 "FILE" 1 3.
/// Empty for lines of text.
std::string file_of_marker(const std::string& line) {
  if (!line.starts_with("# ")) return {};
  const auto begin = line.find('"');
  const auto end = line.rfind('"');
  return begin == end ? std::string() : line.substr(begin + 1, end - begin - 1);
}

/// What of a preprocessed text is the user's, its words with one blank between them.
std::string text_of_user(const std::string& preprocessed) {
  const std::string ours = headers_folder() + "/";
  std::istringstream lines(preprocessed);
  std::string text;
  bool counts = false;
  for (std::string line; std::getline(lines, line);) {
    if (const std::string file = file_of_marker(line); !file.empty()) {
      counts = !file.starts_with(ours) && !is_system_header(file);
      continue;
    }
    if (!counts) continue;
    for (const std::string& word : words_of(line))
      text += word + " ";
  }
  return text;
}

} // namespace

std::string source_digest(const std::string& file) {
  const Compiler compiler = compiler_for_host();
  const Cache::Workshop shop(Cache::here());
  const std::string out = shop.folder() + "/preprocessed.txt";
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), {"-I" + headers_folder(), "-E", "-x", "c++", file, "-o", out});
  const std::string what = kernel_name(file) + " with " + program_name(compiler);
  if (run_watched(what, 1, command, shop.folder()).status != 0) return {};
  const auto text = read_file(out);
  return text ? digest(text_of_user(*text)) : std::string();
}

} // namespace ridge::launch
