// Files that may not outlive the process, whichever signal ends it.
#pragma once

#include <filesystem>

namespace ridge::io {

/// While it lives, the file is removed by `remove_remains`.
class Remains {
public:
  /// `lock`: its open file, which others may have locked, too; then the last of them removes it.
  explicit Remains(const std::filesystem::path& file, int lock = -1);
  ~Remains();
  Remains(Remains&& other) noexcept;
  Remains& operator=(Remains&&) = delete;
  Remains(const Remains&) = delete;
  Remains& operator=(const Remains&) = delete;

private:
  char* name_;
};

/// While it lives, this process makes a file that is no Remains yet: `end_without_remains` waits
/// for it, so that a lock is known wherever it exists.
class MakingRemains {
public:
  MakingRemains() noexcept;
  ~MakingRemains();
  MakingRemains(const MakingRemains&) = delete;
  MakingRemains& operator=(const MakingRemains&) = delete;
};

/// Removes them: locks and unfinished files of this process. May be called in a handler of a
/// signal.
void remove_remains() noexcept;

/// Removes them and ends the process as the signal does by default. For handlers of signals.
void end_without_remains(int signal) noexcept;

} // namespace ridge::io
