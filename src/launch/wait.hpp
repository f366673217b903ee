// Waiting for a compiler.
#pragma once

#include <ridge/launch/process.hpp>
#include <ridge/launch/waiting.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ridge::launch {

/// While it lives somebody waits for a compilation.
class Wait {
public:
  Wait(std::string what, int usual);
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  /// To be called about ten times a second. Empty where nobody has to know. What it throws is to
  /// end the compilation.
  [[nodiscard]] std::function<void()> tick();
  /// Calls `work` on another thread and ticks meanwhile. Work cannot be ended: what a tick throws
  /// comes out when it has.
  void during(const std::function<void()>& work);

private:
  [[nodiscard]] double passed() const;

  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Waiting waiting_;
  Observer observer_;
};

/// Runs a command while somebody waits for it. What a tick throws ends the command.
[[nodiscard]] Finished run_watched(const std::string& what, int usual,
                                   const std::vector<std::string>& command,
                                   const std::string& folder);

/// While it lives the compilations of this thread are not told of: another thread waits for all of
/// them. They end, by a Failure, once `stop` is set.
class Helping {
public:
  explicit Helping(const std::atomic<bool>& stop);
  ~Helping();
  Helping(const Helping&) = delete;
  Helping& operator=(const Helping&) = delete;
};

} // namespace ridge::launch
