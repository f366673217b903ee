// What hwloc knows of this machine's cores and caches.
#pragma once

#include <ridge/core/units.hpp>

#include <string>
#include <vector>

namespace ridge::cpu {

struct Topology {
  std::string model;          ///< "AMD EPYC 9B45"
  std::vector<int> core_cpus; ///< for each core this process may use, its first hardware
                              ///< thread; no more than its control group grants
  Bytes l1, l2;               ///< of one core
  Bytes last_level;           ///< of all caches of the last level together
};

/// Read once from the system, then remembered: it does not change while we run.
[[nodiscard]] const Topology& topology();

} // namespace ridge::cpu
