#include <ridge/device/device.hpp>
#include <ridge/model/host.hpp>

#include <link.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace ridge::model {

namespace {

/// The vectors of the module of cpu kernels that is loaded, by the level in its name; 0: of this
/// very processor, or none is loaded.
int bytes_of_module(dl_phdr_info* info, std::size_t /*size*/, void* bytes) {
  const std::string_view name = info->dlpi_name;
  const auto at = name.rfind("ridge_cpu-");
  if (at == std::string_view::npos) return 0;
  const std::string_view level = name.substr(at + 10);
  int& found = *static_cast<int*>(bytes);
  if (level.starts_with("x86-64-v4"))
    found = 64;
  else if (level.starts_with("x86-64-v3"))
    found = 32;
  else if (level.starts_with("x86-64"))
    found = 16;
  return 0;
}

double number_in(const std::string& file, double otherwise) {
  std::ifstream in(file);
  double value = 0;
  return in >> value && value > 0 ? value : otherwise;
}

} // namespace

double core_bytes_per_second(const Description& cpu) {
  constexpr double bytes_under_way = 48 * 64;
  const double seconds =
      cpu.memory_latency_cycles > 0 ? cpu.memory_latency_cycles / cpu.clock_hz : 100e-9;
  return bytes_under_way / seconds;
}

HostVectors host_vectors() {
  HostVectors v;
  v.widest_bytes = Device("cpu").facts().simd_bytes;
  int module = 0;
  (void)dl_iterate_phdr(&bytes_of_module, &module);
  v.used_bytes = module > 0 ? std::min(module, v.widest_bytes) : v.widest_bytes;
  return v;
}

double l1_ways() {
  static const double found =
      number_in("/sys/devices/system/cpu/cpu0/cache/index0/ways_of_associativity", 8);
  return found;
}

} // namespace ridge::model
