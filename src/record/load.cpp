#include <ridge/device/cpu/parallel.hpp>
#include <ridge/record/load.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

namespace ridge {

namespace {

/// Beyond this part of the time, times are no longer those of the kernel. A quiet machine has less
/// than a hundredth.
constexpr double much = 0.1;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds in which some thread waited for a processor, since the system began: of the control
/// group where that has its own figures, else of the machine.
std::optional<double> stalled() {
  for (const char* const file : {"/sys/fs/cgroup/cpu.pressure", "/proc/pressure/cpu"}) {
    std::ifstream in(file);
    std::string word;
    while (in >> word && word != "full")
      if (word.starts_with("total=")) return std::strtod(word.c_str() + 6, nullptr) * 1e-6;
  }
  return std::nullopt;
}

} // namespace

LoadWatch::LoadWatch() : stalled_(stalled()), began_(now()) {}

std::optional<double> LoadWatch::waited() const {
  const std::optional<double> until_now = stalled();
  const double time = now() - began_;
  if (!stalled_ || !until_now || time <= 0) return std::nullopt;
  return (*until_now - *stalled_) / time;
}

bool LoadWatch::is_busy() const {
  if (const std::optional<double> part = waited()) return *part > much;
  double load = 0;
  return getloadavg(&load, 1) == 1 && load > cpu::default_threads() + 0.5;
}

} // namespace ridge
