#include "causes.hpp"

#include <ridge/core/error.hpp>

#include <cstdlib>

namespace ridge::doctor {

const std::vector<Cause>& causes() {
  static const std::vector<Cause> all{staged_passes(),      launch_overhead(),
                                      uncoalesced(),        cache_overflow(),
                                      repeated_requests(),  few_resident_warps(),
                                      spilled_registers(),  computed_twice(),
                                      divergent_branches(), too_few_bytes_in_flight(),
                                      launch_too_small(),   partly_written_sectors(),
                                      no_vectors(),         power_of_two_strides(),
                                      remote_first_touch(), loose_lists(),
                                      tight_lists(),        small_leaves(),
                                      large_leaves(),       uneven_groups(),
                                      small_levels(),       staged_levels(),
                                      short_blocks(),       slow_operations(),
                                      slow_memory()};
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

Cause recorded_cause() {
  Cause c;
  c.evidence = [](const Facts&) { return std::optional<double>(); };
  c.healed = [](Facts f) { return f; };
  return c;
}

std::optional<double> number_of(const Record& record, std::string_view detail) {
  for (const Detail& d : record.details)
    if (d.name == detail) return d.number;
  return {};
}

int field_of(const Record& record, std::string_view field) {
  const std::string text = " " + record.schedule;
  const std::size_t at = text.find(" " + std::string(field) + "=");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + field.size() + 2);
}

} // namespace ridge::doctor
