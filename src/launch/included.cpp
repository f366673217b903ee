#include "included.hpp"

#include <ridge/device/library.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ridge::launch {

namespace fs = std::filesystem;

namespace {

/// The name in a line of #include; empty for other lines.
std::string included_name(const std::string& line) {
  const auto mark = line.find_first_not_of(" \t");
  if (mark == std::string::npos || line[mark] != '#') return {};
  const auto word = line.find_first_not_of(" \t", mark + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return {};
  const auto begin = line.find_first_of("\"<", word);
  if (begin == std::string::npos) return {};
  const auto end = line.find_first_of("\">", begin + 1);
  return end == std::string::npos ? "" : line.substr(begin + 1, end - begin - 1);
}

} // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  std::string word;
  while (in >> word)
    words.push_back(word);
  return words;
}

std::vector<std::string> included_files(const std::string& source, const std::string& flags) {
  if (!source.starts_with("/")) return {};
  std::vector<fs::path> folders;
  for (const std::string& word : words_of(flags)) {
    if (word.starts_with("-I") && word.size() > 2) folders.emplace_back(word.substr(2));
  }
  const std::string ours = headers_folder() + "/";
  std::vector<std::string> files{source};
  for (std::size_t i = 0; i < files.size(); ++i) { // grows while it is read
    std::ifstream in(files[i]);
    std::string line;
    while (std::getline(in, line)) {
      const std::string name = included_name(line);
      if (name.empty()) continue;
      std::vector<fs::path> places{fs::path(files[i]).parent_path() / name};
      for (const fs::path& folder : folders)
        places.push_back(folder / name);
      for (const fs::path& place : places) {
        std::error_code failed;
        const std::string file = fs::canonical(place, failed).string();
        if (failed || !fs::is_regular_file(file, failed) || file.starts_with(ours)) continue;
        if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
        break;
      }
    }
  }
  return files;
}

} // namespace ridge::launch
