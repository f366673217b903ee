// Wisdom: schedules that tuning found, kept in a file that all processes of a user share.
//
// A line an entry, `name=value` separated by tabs, so that people and scripts read it. Entries
// count only where the kernel, device, driver and compiler are what they were.
#pragma once

#include <ridge/tune/key.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ridge::tune {

/// A schedule that was found.
struct Finding {
  Key key;
  std::string schedule;     ///< its fields as text
  double seconds = 0;       ///< of a launch
  double standard_gain = 1; ///< how many times as long the default took, measured in turn
};

/// "ridge wisdom 1": the first line of a file. Other versions are neither read nor overwritten.
inline constexpr const char* wisdom_header = "ridge wisdom 1";

class Wisdom {
public:
  /// That of $RIDGE_WISDOM, else $XDG_DATA_HOME/ridge/wisdom, else ~/.local/share/ridge/wisdom;
  /// read once, when it is first asked for. What is wrong with it is said on standard error.
  static Wisdom& here();

  /// Reads the file, where there is one. What cannot be read is left out, see `problems`.
  explicit Wisdom(std::string file);

  [[nodiscard]] const std::string& file() const { return file_; }
  /// A line for each part of the file that was left out.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  /// The finding for an id (`id_of`); null where there is none. Takes less than a microsecond.
  [[nodiscard]] std::shared_ptr<const Finding> find(const std::string& id) const;

  /// Findings for the same kernel, device, driver and compiler at other sizes of as many
  /// dimensions, nearest first: sizes are as far apart as their extents are from each other's
  /// multiples.
  [[nodiscard]] std::vector<std::shared_ptr<const Finding>> near(const Key& key) const;

  /// Why nothing of what was found for a kernel of this name counts for the key: one line that says
  /// which parts differ. Empty where something does, or nothing was found at all.
  [[nodiscard]] std::string mismatch(const Key& key) const;

  /// Keeps a finding, and reads what other processes have kept meanwhile. Does nothing where
  /// RIDGE_TUNE=off. Throws Failure where the file cannot be written, or is none of this version.
  void keep(const Finding& finding);

private:
  void read(const std::string& text);

  std::string file_;
  bool foreign_ = false; ///< the file is there and is not ours
  std::vector<std::string> problems_;
  mutable std::mutex guard_;
  std::unordered_map<std::string, std::shared_ptr<const Finding>> findings_;
};

/// False where RIDGE_TUNE=off: nothing is tuned and no wisdom is written.
[[nodiscard]] bool may_tune();

} // namespace ridge::tune
