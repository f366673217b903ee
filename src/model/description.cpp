#include <ridge/core/error.hpp>
#include <ridge/model/description.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ridge::model {

const std::vector<Constant>& constants() {
  using D = Description;
  static const std::vector<Constant> all{
      {"units", &D::units, 1, 4096, "units"},
      {"warp_width", &D::warp_width, 1, 128, "lanes"},
      {"schedulers", &D::schedulers, 1, 16, "a unit"},
      {"issues_per_cycle", &D::issues_per_cycle, 0.25, 16, "instructions a cycle of a unit"},
      {"warps_per_unit", &D::warps_per_unit, 1, 256, "warps"},
      {"blocks_per_unit", &D::blocks_per_unit, 1, 256, "blocks"},
      {"registers_per_unit", &D::registers_per_unit, 1024, 1 << 24, "registers of 32 bits"},
      {"registers_per_thread", &D::registers_per_thread, 16, 4096, "registers of 32 bits"},
      {"register_step", &D::register_step, 1, 64, "registers"},
      {"shared_bytes_per_unit", &D::shared_bytes_per_unit, 1024, 1 << 24, "bytes"},
      {"clock_hz", &D::clock_hz, 1e8, 1e10, "cycles a second"},
      {"cache_bytes", &D::cache_bytes, 1 << 16, 1LL << 34, "bytes"},
      {"cache_parts", &D::cache_parts, 1, 16, "parts"},
      {"cache_ways", &D::cache_ways, 1, 128, "lines of a set"},
      {"sector_bytes", &D::sector_bytes, 16, 512, "bytes"},
      {"cache_latency_cycles", &D::cache_latency_cycles, 10, 5000, "cycles"},
      {"memory_latency_cycles", &D::memory_latency_cycles, 50, 20000, "cycles"},
      {"memory_bytes_per_second", &D::memory_bytes_per_second, 1e9, 1e14, "bytes a second"},
      {"copy_bytes_per_second", &D::copy_bytes_per_second, 1e9, 1e14, "bytes a second"},
      {"cache_bytes_per_second", &D::cache_bytes_per_second, 1e9, 1e15, "bytes a second"},
      {"fp32_flops", &D::fp32_flops, 1e9, 1e16, "operations a second"},
      {"fp64_flops", &D::fp64_flops, 1e9, 1e16, "operations a second"},
      {"launch_seconds", &D::launch_seconds, 1e-8, 1e-2, "seconds"},
  };
  return all;
}

namespace {

using nlohmann::json;

std::string names_of_constants() {
  std::string names;
  for (const Constant& c : constants())
    names += (names.empty() ? "" : ", ") + std::string(c.name);
  return names;
}

std::string range_of(const Constant& c) {
  return fmt::format("{:g} to {:g} {}", c.lowest, c.highest, c.unit);
}

const json& member(const json& object, const char* name, json::value_t type, std::string_view what,
                   std::string_view right) {
  const auto at = object.find(name);
  if (at == object.end()) {
    throw UsageError(fmt::format("{}: '{}' is missing; it is {}", what, name, right));
  }
  if (at->type() != type) {
    throw UsageError(fmt::format("{}: '{}' is {}, not {}", what, name, right, at->dump()));
  }
  return *at;
}

double number(const json& values, const Constant& c, std::string_view what) {
  const auto at = values.find(std::string(c.name));
  if (at == values.end()) {
    throw UsageError(
        fmt::format("{}: the constant '{}' is missing; it is {}", what, c.name, range_of(c)));
  }
  const double value = at->is_number() ? at->get<double>() : std::nan("");
  if (!(value >= c.lowest && value <= c.highest)) {
    throw UsageError(fmt::format("{}: the constant '{}' is {}; it must be {}", what, c.name,
                                 at->dump(), range_of(c)));
  }
  return value;
}

DeviceKind kind_of(const std::string& text, std::string_view what) {
  if (text == "cuda") return DeviceKind::cuda;
  if (text == "hip") return DeviceKind::hip;
  throw UsageError(fmt::format("{}: 'kind' is cuda or hip, not '{}'", what, text));
}

/// What must hold between constants.
void check_together(const Description& d, std::string_view what) {
  const auto ordered = [&](double less, double more, const char* name, const char* bound) {
    if (less > more) {
      throw UsageError(fmt::format("{}: the constant '{}' is {:g}; it must be at most '{}', {:g}",
                                   what, name, less, bound, more));
    }
  };
  ordered(d.copy_bytes_per_second, d.memory_bytes_per_second, "copy_bytes_per_second",
          "memory_bytes_per_second");
  ordered(d.cache_latency_cycles, d.memory_latency_cycles, "cache_latency_cycles",
          "memory_latency_cycles");
}

} // namespace

Description parse_description(std::string_view text, std::string_view what) {
  const json file = json::parse(text, nullptr, false);
  if (!file.is_object()) {
    throw UsageError(fmt::format("{} is not a JSON object with name, kind, architecture and "
                                 "constants",
                                 what));
  }
  Description d;
  const auto string = [&](const char* name, std::string_view right) {
    return member(file, name, json::value_t::string, what, right).get<std::string>();
  };
  d.name = string("name", "text, as the vendor calls the device");
  d.kind = kind_of(string("kind", "cuda or hip"), what);
  d.architecture = string("architecture", "text, such as \"gfx90a\" or \"sm_90\"");
  const json& values =
      member(file, "constants", json::value_t::object, what, "an object of numbers by name");
  for (const Constant& c : constants())
    d.*c.member = number(values, c, what);
  for (const auto& [name, value] : values.items()) {
    bool known = false;
    for (const Constant& c : constants())
      known = known || c.name == name;
    if (!known) {
      throw UsageError(fmt::format("{}: unknown constant '{}'; the constants are {}", what, name,
                                   names_of_constants()));
    }
  }
  check_together(d, what);
  if (const auto sources = file.find("sources"); sources != file.end() && sources->is_object()) {
    for (const auto& [name, source] : sources->items())
      d.sources[name] = source.is_string() ? source.get<std::string>() : source.dump();
  }
  return d;
}

} // namespace ridge::model
