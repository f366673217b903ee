// Files that may not outlive the process, whichever signal ends it.
#pragma once

#include <filesystem>

namespace ridge::io {

/// While it lives, the file is removed by `remove_remains`.
class Remains {
public:
  explicit Remains(const std::filesystem::path& file);
  ~Remains();
  Remains(Remains&& other) noexcept;
  Remains& operator=(Remains&&) = delete;
  Remains(const Remains&) = delete;
  Remains& operator=(const Remains&) = delete;

private:
  char* name_;
};

/// Removes them: locks and unfinished files of this process. May be called in a handler of a
/// signal.
void remove_remains() noexcept;

} // namespace ridge::io
