#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/model/description.hpp>

#include "shipped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ridge::model {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string devices_here() {
  std::vector<std::string> names;
  for (const DeviceId id : list_devices())
    if (!facts_of(id.kind).is_emulated) names.push_back(to_text(id));
  return listed(names);
}

Description read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path)) {
    throw UsageError(fmt::format("the device file '{}' cannot be read", path));
  }
  return parse_description(text.str(), fmt::format("device file '{}'", path));
}

/// The core's caches and the cores; memory's bandwidth is not among a cpu's facts.
Description cpu_description(const DeviceFacts& facts) {
  Description d;
  d.name = facts.name;
  d.architecture = facts.architecture;
  d.kind = DeviceKind::cpu;
  d.units = facts.units;
  d.cache_bytes = static_cast<double>(facts.last_level_cache.value);
  d.unit_cache_bytes = static_cast<double>(facts.l2.value);
  d.cache_ways = 16;
  d.sector_bytes = 64;
  return d;
}

} // namespace

bool names_device_here(std::string_view text) {
  const auto means = [&](const KindFacts* kind) {
    return text == kind->name ||
           (kind->numbering != Numbering::none && text.substr(0, text.find(':')) == kind->name);
  };
  return text == "auto" || std::any_of(kinds().begin(), kinds().end(), means);
}

std::vector<std::string> shipped_descriptions() {
  std::vector<std::string> keys;
  for (const Shipped& s : shipped)
    keys.emplace_back(s.key);
  return keys;
}

Description shipped_description(std::string_view key) {
  for (const Shipped& s : shipped) {
    if (s.key != key) continue;
    Description d = parse_description(s.json, key);
    d.key = key;
    return d;
  }
  throw UsageError(fmt::format("there is no description of '{}'; there are those of {}", key,
                               listed(shipped_descriptions())));
}

Description description_of(const DeviceFacts& facts, DeviceKind kind) {
  if (!facts_of(kind).takes_gpu_schedules) return cpu_description(facts);
  if (facts_of(kind).is_emulated) {
    throw UsageError("an emulated GPU has no memory of its own to model; " +
                     std::string("--on takes a device here (") + devices_here() +
                     "), one described (" + listed(shipped_descriptions()) + ") or a file");
  }
  std::string name; // "nvidiah200", "amdradeonrx6900xt", "amdinstinctmi250x/mi250"
  for (const char c : facts.name)
    if (c != ' ') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string& key : shipped_descriptions()) {
    const std::string model = key.substr(0, key.find('-'));
    if (name.find(model) == std::string::npos) continue;
    Description d = shipped_description(key);
    d.name = facts.name;
    d.units = facts.units;
    if (facts.last_level_cache.value > 0 && facts_of(kind).knows_last_level_cache)
      d.cache_bytes = static_cast<double>(facts.last_level_cache.value);
    return d;
  }
  throw UsageError(fmt::format("there is no description of '{}'; there are those of {}; give a "
                               "file of its constants (docs/model.md)",
                               facts.name, listed(shipped_descriptions())));
}

Description find_description(const std::string& text) {
  const auto keys = shipped_descriptions();
  if (std::find(keys.begin(), keys.end(), text) != keys.end()) return shipped_description(text);
  if (names_device_here(text)) {
    const Device device(text == "auto" ? best_device() : parse_device(text));
    return description_of(device.facts(), device.kind());
  }
  if (text.ends_with(".json") || text.find('/') != std::string::npos) return read_file(text);
  throw UsageError(fmt::format("unknown device '{}'; here are {}; described are {}; or give a "
                               "file of constants, FILE.json",
                               text, devices_here(), listed(keys)));
}

} // namespace ridge::model
