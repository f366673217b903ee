// Progress of long work: a line on a terminal, nothing when output is piped.
#pragma once

#include <chrono>
#include <string>

namespace ridge::app {

/// One line on stderr that is rewritten; silent unless stderr is a terminal.
class Progress {
public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows `text` in place of what was there.
  void show(const std::string& text);
  /// Shows how much of `what` is done, with the time left, a few times a second at most, and not at
  /// all in the first half second.
  void show(const std::string& what, double fraction_done);
  /// Removes the line.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

} // namespace ridge::app
