// Results appear whole or not at all: written beside their place, then renamed.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::app {

/// A file in the making: a temporary beside `target` that disappears unless committed.
class OutputFile {
public:
  /// Throws UsageError when the folder does not exist or the target is a folder.
  explicit OutputFile(std::filesystem::path target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Where to write.
  [[nodiscard]] const std::filesystem::path& path() const { return temporary_; }
  /// Renames to the target. Throws Failure when that is not possible.
  void commit();

private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

/// Throws Failure, leaving nothing behind, when not all of `text` can be written.
void write_text_file(const std::filesystem::path& target, const std::string& text);

} // namespace ridge::app
