#include <ridge/device/library.hpp>

#include <dlfcn.h>

#include <filesystem>

namespace ridge {

namespace fs = std::filesystem;

std::string library_file() {
  static const std::string found = [] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&library_file), &info) == 0) return std::string();
    std::error_code failed;
    const fs::path file = fs::canonical(info.dli_fname, failed);
    return failed ? std::string() : file.string();
  }();
  return found;
}

std::string library_folder() {
  return fs::path(library_file()).parent_path().string();
}

std::string headers_folder() {
  static const std::string folder = [] {
    // Installed, the headers lie at ../include; a build tree names those of its sources.
    const fs::path library = library_folder();
    std::error_code ignored;
    for (const fs::path& candidate : {library / "../include", library / "ridge/include",
                                      library / "../../include", fs::path(RIDGE_SOURCE_HEADERS)}) {
      if (fs::exists(candidate / "ridge/core/config.hpp", ignored))
        return fs::canonical(candidate, ignored).string();
    }
    return std::string();
  }();
  return folder;
}

} // namespace ridge
