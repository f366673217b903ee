// A name that one process holds while it writes there.
#pragma once

#include "remains.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ridge::io {

/// Holds names for this process while it lives: a lock on a hidden file beside them, `file`, which
/// is removed at the end. Where the holder dies, the system gives the lock up; an empty file may
/// stay, which the next holder removes. Locks work between machines where the file system has them;
/// where it has none, one line on standard error says so.
class Claim {
public:
  enum class Kind {
    alone, ///< nobody else holds it
    shared ///< others may hold it so, too
  };

  /// Messages call what is claimed `called`. Throws UsageError at once when another run holds it,
  /// Failure when the folder takes no files.
  Claim(std::filesystem::path file, Kind kind, const std::string& called);
  ~Claim();
  Claim(Claim&& other) noexcept;
  Claim& operator=(Claim&&) = delete;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  /// False where the file system has no locks: others may write there, too.
  [[nodiscard]] bool holds() const { return locked_; }

private:
  [[nodiscard]] bool try_to_hold(Kind kind, const std::string& called);
  void sign() const;
  [[nodiscard]] std::string holder() const;
  void close_file();

  std::filesystem::path file_;
  int id_ = -1;
  bool locked_ = false;
  std::optional<Remains> remains_; ///< the file, while it is held
};

} // namespace ridge::io
