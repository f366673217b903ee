#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ridge::app {

namespace {
/// Work that is done sooner needs no bar.
constexpr std::chrono::milliseconds patience{500};
constexpr std::chrono::milliseconds interval{200};

/// A terminal that is gone is no reason to stop: what is cleared at the end of a run may not throw.
void put(const std::string& text) {
  (void)std::fputs(text.c_str(), stderr);
  (void)std::fflush(stderr);
}
} // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const std::string& text) {
  if (!terminal_) return;
  put("\r\x1b[K" + text);
  shown_ = true;
}

void Progress::show(const std::string& what, double fraction_done) {
  const auto now = Clock::now();
  if (!terminal_ || now - start_ < patience) return;
  if (now - last_ < interval && fraction_done < 1) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  constexpr int width = 30;
  const int full = static_cast<int>(std::clamp(fraction_done, 0.0, 1.0) * width);
  std::string left;
  if (fraction_done > 0 && seconds > 1) {
    left = fmt::format("  {:.0f} s left", seconds * (1 - fraction_done) / fraction_done);
  }
  show(fmt::format("{} [{}{}] {:3.0f} %{}", what, std::string(static_cast<std::size_t>(full), '#'),
                   std::string(static_cast<std::size_t>(width - full), ' '), fraction_done * 100,
                   left));
}

void Progress::clear() {
  if (!shown_) return;
  put("\r\x1b[K");
  shown_ = false;
}

} // namespace ridge::app
