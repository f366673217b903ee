#include <ridge/model/measured.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

struct FromRoof {
  const char* ceiling;
  double Description::*member;
  const char* constant;
};
constexpr FromRoof from_roof[] = {
    {"copy", &Description::copy_bytes_per_second, "copy_bytes_per_second"},
    {"fma_fp32", &Description::fp32_flops, "fp32_flops"},
    {"fma_fp64", &Description::fp64_flops, "fp64_flops"},
    {"launch", &Description::launch_seconds, "launch_seconds"},
};

/// Of a stored line, in lines: more is a measurement gone wrong.
constexpr double most_room = 2;

/// A GPU's cache is as large as it says, in parts that each hold what their own units read; of a
/// cpu's, others may use a part.
void take_what_is_held(Description& d, double held) {
  if (d.is_gpu()) {
    d.cache_parts = std::clamp(std::round(d.cache_bytes / held), 1.0, 16.0);
    d.sources["cache_parts"] = fmt::format(
        "ridge roof --cache: half of {} is gone when it is read again", quantity(held, "B"));
    return;
  }
  if (held >= d.cache_bytes) return;
  d.cache_bytes = held;
  d.sources["cache_bytes"] = "ridge roof --cache: so much is half gone when it is read again";
}

} // namespace

std::vector<std::string> measured_ceilings() {
  std::vector<std::string> names;
  for (const FromRoof& from : from_roof)
    names.emplace_back(from.ceiling);
  return names;
}

Description measured(Description d, const CacheRoof& cache, const Roof& roof) {
  const std::string of_cache = "ridge roof --cache";
  const auto take = [&](double Description::*member, const char* name, double value) {
    d.*member = value;
    d.sources[name] = of_cache;
  };
  if (cache.clock_hz > 0) take(&Description::clock_hz, "clock_hz", cache.clock_hz);
  take(&Description::cache_latency_cycles, "cache_latency_cycles",
       std::min(cache.cache_latency(), cache.memory_latency()).value * d.clock_hz);
  take(&Description::memory_latency_cycles, "memory_latency_cycles",
       cache.memory_latency().value * d.clock_hz);
  take(&Description::cache_bytes_per_second, "cache_bytes_per_second", cache.cache_rate());
  if (const auto room = cache.plain_room())
    take(&Description::plain_store_room, "plain_store_room", std::min(*room, most_room));
  if (const auto room = cache.nontemporal_room())
    take(&Description::nontemporal_store_room, "nontemporal_store_room",
         std::min(*room, most_room));
  if (const auto held = cache.held()) take_what_is_held(d, static_cast<double>(held->value));
  for (const FromRoof& from : from_roof) {
    const Ceiling* const found = roof.find(from.ceiling);
    if (found == nullptr) continue;
    d.*from.member = found->value;
    d.sources[from.constant] = std::string("ridge roof: ") + from.ceiling;
  }
  return d;
}

} // namespace ridge::model
