#include "output_file.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace ridge::app {

namespace fs = std::filesystem;

OutputFile::OutputFile(fs::path target) : target_(std::move(target)) {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw UsageError(
        fmt::format("there is no folder {} for {}", folder.string(), target_.string()));
  }
  if (fs::is_directory(target_)) {
    throw UsageError(fmt::format("{} is a folder; give a file name", target_.string()));
  }
  temporary_ = folder / fmt::format(".{}.{}.partial", target_.filename().string(), getpid());
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!committed_) fs::remove(temporary_, ignored);
}

void OutputFile::commit() {
  std::error_code why;
  fs::rename(temporary_, target_, why);
  if (why) throw Failure(fmt::format("writing {}: {}", target_.string(), why.message()));
  committed_ = true;
}

void write_text_file(const fs::path& target, const std::string& text) {
  OutputFile file(target);
  std::ofstream stream(file.path(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw Failure(fmt::format("writing {}: {}", target.string(), std::strerror(errno)));
  file.commit();
}

} // namespace ridge::app
