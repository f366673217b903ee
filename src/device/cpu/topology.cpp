#include "topology.hpp"

#include <ridge/device/cpu/quota.hpp>

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

namespace ridge::cpu {

namespace {

Bytes cache_size(hwloc_topology_t t, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(t, type, 0);
  return {cache != nullptr ? static_cast<std::int64_t>(cache->attr->cache.size) : 0};
}

/// hwloc leaves the model name empty on some virtual machines; the kernel's list has it.
std::string model_name(hwloc_topology_t t) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
  const char* const known =
      package != nullptr ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
  if (known != nullptr) return known;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

Topology read() {
  hwloc_topology_t raw = nullptr;
  Topology found;
  if (hwloc_topology_init(&raw) != 0) return found;
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> owner(
      raw, hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return found;

  found.model = model_name(raw);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool limited = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
  const int cores = hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_CORE);
  for (int c = 0; c < cores; ++c) {
    const hwloc_obj_t core = hwloc_get_obj_by_type(raw, HWLOC_OBJ_CORE, static_cast<unsigned>(c));
    for (int cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0;
         cpu = hwloc_bitmap_next(core->cpuset, cpu)) {
      if (!limited || CPU_ISSET(static_cast<unsigned>(cpu), &allowed)) {
        found.core_cpus.push_back(cpu);
        break;
      }
    }
  }
  if (found.core_cpus.empty()) found.core_cpus.push_back(0);
  if (const auto granted = granted_processors()) {
    const auto most = static_cast<std::size_t>(std::max(std::ceil(*granted), 1.0));
    if (most < found.core_cpus.size()) found.core_cpus.resize(most);
  }

  found.l1 = cache_size(raw, HWLOC_OBJ_L1CACHE);
  found.l2 = cache_size(raw, HWLOC_OBJ_L2CACHE);
  const Bytes l3 = cache_size(raw, HWLOC_OBJ_L3CACHE);
  const hwloc_obj_type_t last = l3.value > 0 ? HWLOC_OBJ_L3CACHE : HWLOC_OBJ_L2CACHE;
  const int caches = hwloc_get_nbobjs_by_type(raw, last);
  found.last_level = {(l3.value > 0 ? l3 : found.l2).value * (caches > 0 ? caches : 1)};
  return found;
}

} // namespace

const Topology& topology() {
  static const Topology known = read();
  return known;
}

} // namespace ridge::cpu
