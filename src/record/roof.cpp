#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/record/roof.hpp>

#include "roof_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ridge {

namespace {

struct Name {
  std::string_view name;
  bool quick; ///< measured by a quick roof, too
};
constexpr std::array names{Name{"copy", true},
                           Name{"copy_plain", true},
                           Name{"copy_nontemporal", true},
                           Name{"read", true},
                           Name{"write", false},
                           Name{"write_plain", false},
                           Name{"write_nontemporal", false},
                           Name{"triad", true},
                           Name{"triad_plain", true},
                           Name{"triad_nontemporal", true},
                           Name{"cache_copy", true},
                           Name{"fma_fp32", true},
                           Name{"fma_fp64", true},
                           Name{"rsqrt_fp32", true},
                           Name{"launch", true}};

const Name* find_name(std::string_view name) {
  const auto* const at =
      std::find_if(names.begin(), names.end(), [&](const Name& n) { return n.name == name; });
  return at == names.end() ? nullptr : at;
}

} // namespace

RoofSession::RoofSession(const Device& device, const RoofOptions& options, Roof& roof)
    : queue_(device), kernels_(roof_kernels(device)), options_(options), roof_(roof) {}

bool RoofSession::wants(std::string_view name) const {
  const auto& only = options_.only;
  if (!only.empty()) return std::find(only.begin(), only.end(), name) != only.end();
  return !options_.quick || find_name(name)->quick;
}

void RoofSession::announce(std::string_view name) const {
  if (options_.on_start) options_.on_start(name);
}

void RoofSession::add(Ceiling ceiling) {
  roof_.ceilings.push_back(std::move(ceiling));
}

Seconds RoofSession::glance(const std::function<void()>& launch, Seconds least) {
  constexpr double far_off = 1.25;
  constexpr double long_enough = 0.01; // seconds: what begins a launch is little of it
  const bool known = least.value > long_enough;
  if (known) {
    const Seconds once = measure(queue_, launch, {.repeats = 1, .warm_up = 0}).median;
    if (once.value > far_off * least.value) return once;
  }
  return measure(queue_, launch,
                 {.repeats = is_quick() ? 1 : 3, .warm_up = known ? 0 : 1, .patience = {0.2}})
      .median;
}

Seconds RoofSession::time(const std::function<void()>& launch) {
  return measure(queue_, launch, {.repeats = is_quick() ? 5 : 11, .warm_up = 1, .patience = {1}})
      .median;
}

const Ceiling* Roof::find(std::string_view name) const {
  const auto at = std::find_if(ceilings.begin(), ceilings.end(),
                               [&](const Ceiling& ceiling) { return ceiling.name == name; });
  return at == ceilings.end() ? nullptr : &*at;
}

const Ceiling& Roof::at(std::string_view name) const {
  if (const Ceiling* const ceiling = find(name)) return *ceiling;
  std::string measured;
  for (const Ceiling& ceiling : ceilings)
    measured += (measured.empty() ? "" : ", ") + ceiling.name;
  throw Failure(fmt::format("the ceiling '{}' of {} was not measured; measured are {}", name,
                            to_text(device), measured.empty() ? "none" : measured));
}

Roof measure_roof(const Device& device, const RoofOptions& options) {
  for (const std::string& name : options.only) {
    if (find_name(name) != nullptr) continue;
    std::string known;
    for (const Name& n : names)
      known += (known.empty() ? "" : ", ") + std::string(n.name);
    throw UsageError(fmt::format("unknown ceiling '{}'; the ceilings are {}", name, known));
  }
  Roof roof{device.id(), device.facts().name, {}};
  if (facts_of(device).is_emulated) return roof;
  RoofSession session(device, options, roof);
  measure_memory(session);
  measure_compute(session);
  return roof;
}

} // namespace ridge
