// Files that processes share: read whole, written whole, locked.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ridge {

/// All of a file; nothing where it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::string& file);

/// Writes a file, for its owner alone, that is whole after a crash of the machine, too. False where
/// it could not; then what was there of it is gone.
[[nodiscard]] bool write_file(const std::string& file, const std::string& text);

/// Holds a file for this process and thread while it lives: others that want it wait. Where its
/// holder dies, the system gives it to the next. The file is made where there is none.
class FileLock {
public:
  /// `waits` is called about ten times a second while another holds it. What it throws ends the
  /// wait.
  explicit FileLock(const std::string& file, const std::function<void()>& waits = {});
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  /// False where the file system has no locks, or the file cannot be made.
  [[nodiscard]] bool holds() const { return holds_; }

private:
  int file_;
  bool holds_;
};

} // namespace ridge
