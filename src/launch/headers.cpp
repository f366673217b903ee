#include "headers.hpp"

#include <ridge/device/library.hpp>

#include "hash.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace ridge::launch {

namespace fs = std::filesystem;

const std::string& headers_digest() {
  static const std::string known = [] {
    std::vector<fs::path> files;
    std::error_code ignored;
    const fs::path folder = fs::path(headers_folder()) / "ridge";
    for (const auto& file : fs::recursive_directory_iterator(folder, ignored)) {
      if (file.path().extension() == ".hpp") files.push_back(file.path());
    }
    std::sort(files.begin(), files.end());
    std::string all;
    for (const fs::path& file : files) {
      std::ifstream in(file, std::ios::binary);
      all += fs::relative(file, folder, ignored).string() + "\n";
      all.append(std::istreambuf_iterator<char>(in), {});
    }
    return digest(all);
  }();
  return known;
}

} // namespace ridge::launch
