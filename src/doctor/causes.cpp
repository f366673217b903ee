#include "causes.hpp"

#include <ridge/core/error.hpp>

namespace ridge::doctor {

const std::vector<Cause>& causes() {
  static const std::vector<Cause> all{staged_passes(),
                                      launch_overhead(),
                                      uncoalesced(),
                                      cache_overflow(),
                                      repeated_requests(),
                                      few_resident_warps(),
                                      spilled_registers(),
                                      computed_twice(),
                                      too_few_bytes_in_flight(),
                                      launch_too_small(),
                                      partly_written_sectors(),
                                      no_vectors(),
                                      power_of_two_strides(),
                                      remote_first_touch()};
  return all;
}

const Cause& find_cause(std::string_view name) {
  std::string names;
  for (const Cause& cause : causes()) {
    if (cause.name == name) return cause;
    names += (names.empty() ? "" : ", ") + std::string(cause.name);
  }
  throw UsageError("unknown cause '" + std::string(name) + "'; the causes are " + names);
}

} // namespace ridge::doctor
