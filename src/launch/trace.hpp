// What a compilation read and where it looked in vain, as far as that may change.
//
// A line a file: its state (digest and stamp) and its name, or "absent" and a name that was looked
// for: a file that appears there would be read.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace ridge::launch {

struct Trace {
  std::string lines;
  /// Whether these are all: false where a name is put together by macros, or cannot be written
  /// down.
  bool whole = true;

  void add_file(const std::string& name);
  void add_absent(const std::string& name);
  void add(const Trace& other);
};

/// Whether all files are as a trace's lines say. What cannot be read is not.
[[nodiscard]] bool holds(std::string_view lines);

/// The contents of a trace's files: its lines without stamps, which files get as they grow old.
[[nodiscard]] std::string contents(std::string_view lines);

/// The first file of which two traces say different things; empty where there is none.
[[nodiscard]] std::string difference(std::string_view lines, std::string_view others);

/// The first file that was changed so late that what began at `moment` may not have read it as it
/// is now; empty where there is none. Files of which the lines `before`, of an earlier time, say
/// the same are none.
[[nodiscard]] std::string unsettled(std::string_view lines, std::time_t moment,
                                    std::string_view before = {});

} // namespace ridge::launch
