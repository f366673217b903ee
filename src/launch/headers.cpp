#include "headers.hpp"

#include <ridge/core/file.hpp>
#include <ridge/device/library.hpp>

#include "hash.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace ridge::launch {

namespace fs = std::filesystem;

const std::string& headers_digest() {
  static const std::string known = [] {
    std::vector<fs::path> files;
    std::error_code ignored;
    const fs::path folder = fs::path(headers_folder()) / "ridge";
    // A build tree's folder has links to those of the sources.
    constexpr auto with_links = fs::directory_options::follow_directory_symlink;
    for (const auto& file : fs::recursive_directory_iterator(folder, with_links, ignored)) {
      if (file.path().extension() == ".hpp") files.push_back(file.path());
    }
    std::sort(files.begin(), files.end());
    std::string all;
    // Each new process reads them all before it takes a kernel from the cache.
    for (const fs::path& file : files) {
      all += file.lexically_relative(folder).string() + "\n";
      all += read_file(file.string()).value_or("");
    }
    return digest_of_words(all);
  }();
  return known;
}

} // namespace ridge::launch
