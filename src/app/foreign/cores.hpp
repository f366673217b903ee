// The cores that a program may use, and how long they work meanwhile, for whomever.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace ridge::app {

/// The cores of this process, by the system's table /proc/stat or the one that RIDGE_PROC_STAT
/// names.
class CoresHere {
public:
  CoresHere() {
    CPU_ZERO(&set_);
    if (sched_getaffinity(0, sizeof(set_), &set_) != 0) CPU_SET(0, &set_);
    before_ = sum();
  }
  [[nodiscard]] double count() const { return CPU_COUNT(&set_); }
  /// Seconds of all of them together since the construction; 0 where the system does not say.
  [[nodiscard]] double worked() const { return std::max(0.0, sum() - before_); }

private:
  /// Lines as "cpu3 user nice system idle iowait irq softirq steal ...", in ticks. What a virtual
  /// machine's host takes away (steal) is others' work, too.
  [[nodiscard]] double sum() const {
    const char* const given = std::getenv("RIDGE_PROC_STAT");
    std::ifstream table(given != nullptr ? given : "/proc/stat");
    double ticks = 0;
    for (std::string line; std::getline(table, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      if (name.size() < 4 || !name.starts_with("cpu")) continue;
      const int number = std::atoi(name.c_str() + 3);
      if (number >= CPU_SETSIZE || !CPU_ISSET(number, &set_)) continue;
      constexpr int idle = 3, waits_for_files = 4, last = 7; // guests are in user
      double value = 0;
      for (int column = 0; column <= last && words >> value; ++column)
        ticks += column == idle || column == waits_for_files ? 0 : value;
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  cpu_set_t set_{};
  double before_ = 0;
};

} // namespace ridge::app
