// The host's processor.
#include <ridge/device/cpu/backend.hpp>

#include "../kinds.hpp"

#include <cstdlib>

namespace ridge {

namespace {

/// The levels of x86-64 that modules of the cpu may be compiled for, the best first.
bool runs_here(std::string_view level) {
#if defined(__x86_64__)
  if (level == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4") != 0;
  if (level == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3") != 0;
  if (level == "x86-64-v2") return __builtin_cpu_supports("x86-64-v2") != 0;
#endif
  return level == "native" || level == "x86-64";
}

/// The level that RIDGE_CPU_LEVEL asks for, to compare modules; empty: the best that runs.
std::string wanted_level() {
  const char* const level = std::getenv("RIDGE_CPU_LEVEL");
  return level == nullptr ? "" : level;
}

std::vector<std::string> levels() {
  std::vector<std::string> names;
  for (const std::string_view level : {"native", "x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"}) {
    if (!wanted_level().empty() && level != wanted_level()) continue;
    if (runs_here(level)) names.push_back("-" + std::string(level));
  }
  return names;
}

constexpr int dlpack[] = {1, 3, 11}; // its memory, and that of it which CUDA and ROCm have pinned

} // namespace

constinit const KindFacts rows::cpu{
    .kind = DeviceKind::cpu,
    .name = "cpu",
    .numbering = Numbering::none,
    .numbers = [] { return std::vector{0}; },
    .open = [](int) { return open_cpu(); },
    .levels = levels,
    .takes_gpu_schedules = false,
    .counts = Counts::system,
    .dlpack = dlpack,
};

} // namespace ridge
