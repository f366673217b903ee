#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/model/description.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ridge::model {

namespace {

using D = Description;

constexpr Constant units{"units", &D::units, 1, 4096, "units"};
constexpr Constant clock_hz{"clock_hz", &D::clock_hz, 1e8, 1e10, "cycles a second"};
constexpr Constant cache_bytes{"cache_bytes", &D::cache_bytes, 1 << 16, 1LL << 34, "bytes"};
constexpr Constant cache_ways{"cache_ways", &D::cache_ways, 1, 128, "lines of a set"};
constexpr Constant sector_bytes{"sector_bytes", &D::sector_bytes, 16, 512, "bytes"};
constexpr Constant cache_latency_cycles{"cache_latency_cycles", &D::cache_latency_cycles, 10, 5000,
                                        "cycles"};
constexpr Constant memory_latency_cycles{"memory_latency_cycles", &D::memory_latency_cycles, 50,
                                         20000, "cycles"};
constexpr Constant copy_bytes_per_second{"copy_bytes_per_second", &D::copy_bytes_per_second, 1e9,
                                         1e14, "bytes a second"};
constexpr Constant cache_bytes_per_second{"cache_bytes_per_second", &D::cache_bytes_per_second, 1e9,
                                          1e15, "bytes a second"};
constexpr Constant fp32_flops{"fp32_flops", &D::fp32_flops, 1e9, 1e16, "operations a second"};
constexpr Constant fp64_flops{"fp64_flops", &D::fp64_flops, 1e9, 1e16, "operations a second"};
constexpr Constant launch_seconds{"launch_seconds", &D::launch_seconds, 1e-8, 1e-2, "seconds"};

} // namespace

const std::vector<Constant>& constants() {
  static const std::vector<Constant> all{
      units,
      {"warp_width", &D::warp_width, 1, 128, "lanes"},
      {"schedulers", &D::schedulers, 1, 16, "a unit"},
      {"issues_per_cycle", &D::issues_per_cycle, 0.25, 16, "instructions a cycle of a unit"},
      {"warps_per_unit", &D::warps_per_unit, 1, 256, "warps"},
      {"blocks_per_unit", &D::blocks_per_unit, 1, 256, "blocks"},
      {"registers_per_unit", &D::registers_per_unit, 1024, 1 << 24, "registers of 32 bits"},
      {"registers_per_thread", &D::registers_per_thread, 16, 4096, "registers of 32 bits"},
      {"register_step", &D::register_step, 1, 64, "registers"},
      {"shared_bytes_per_unit", &D::shared_bytes_per_unit, 1024, 1 << 24, "bytes"},
      clock_hz,
      cache_bytes,
      {"cache_parts", &D::cache_parts, 1, 16, "parts"},
      cache_ways,
      sector_bytes,
      cache_latency_cycles,
      memory_latency_cycles,
      {"memory_bytes_per_second", &D::memory_bytes_per_second, 1e9, 1e14, "bytes a second"},
      copy_bytes_per_second,
      cache_bytes_per_second,
      fp32_flops,
      fp64_flops,
      launch_seconds,
  };
  return all;
}

const std::vector<Constant>& cpu_constants() {
  static const std::vector<Constant> all{
      units,
      clock_hz,
      cache_bytes,
      cache_ways,
      {"unit_cache_bytes", &D::unit_cache_bytes, 1 << 10, 1 << 30, "bytes"},
      sector_bytes,
      cache_latency_cycles,
      memory_latency_cycles,
      copy_bytes_per_second,
      cache_bytes_per_second,
      fp32_flops,
      fp64_flops,
      launch_seconds,
  };
  return all;
}

const std::vector<Constant>& optional_constants() {
  static const std::vector<Constant> all{
      {"plain_store_room", &D::plain_store_room, 0, 4, "lines for a stored one"},
      {"nontemporal_store_room", &D::nontemporal_store_room, 0, 4, "lines for a stored one"},
      {"memory_cache_bytes", &D::memory_cache_bytes, 0, 1LL << 34, "bytes"},
      {"memory_cache_ways", &D::memory_cache_ways, 1, 4096, "lines of a set"},
  };
  return all;
}

namespace {

using nlohmann::json;

const std::vector<Constant>& constants_of(const Description& d) {
  return d.is_gpu() ? constants() : cpu_constants();
}

/// Those that a file must give, and those that it may.
std::vector<Constant> all_constants_of(const Description& d) {
  std::vector<Constant> all = constants_of(d);
  all.insert(all.end(), optional_constants().begin(), optional_constants().end());
  return all;
}

std::string names_of_constants(const Description& d) {
  std::string names;
  for (const Constant& c : all_constants_of(d))
    names += (names.empty() ? "" : ", ") + std::string(c.name);
  return names;
}

std::string range_of(const Constant& c) {
  return fmt::format("{:g} to {:g} {}", c.lowest, c.highest, c.unit);
}

const json& member(const json& object, const char* name, json::value_t type, std::string_view what,
                   std::string_view right) {
  const auto at = object.find(name);
  refuse_if(at == object.end(), "{}: '{}' is missing; it is {}", what, name, right);
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

/// The kinds that descriptions are of: "cuda, hip or cpu".
std::string names_of_kinds() {
  std::vector<std::string_view> names;
  for (const KindFacts* const kind : listed_kinds())
    if (!kind->is_emulated) names.push_back(kind->name);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

DeviceKind kind_of(const std::string& text, std::string_view what) {
  for (const KindFacts* const kind : kinds())
    if (text == kind->name && !kind->is_emulated) return kind->kind;
  throw UsageError(fmt::format("{}: 'kind' is {}, not '{}'", what, names_of_kinds(), text));
}

/// What must hold between constants.
void check_together(const Description& d, std::string_view what) {
  const auto ordered = [&](double less, double more, const char* name, const char* bound) {
    refuse_if(less > more, "{}: the constant '{}' is {:g}; it must be at most '{}', {:g}", what,
              name, less, bound, more);
  };
  if (d.is_gpu()) {
    ordered(d.copy_bytes_per_second, d.memory_bytes_per_second, "copy_bytes_per_second",
            "memory_bytes_per_second");
  }
  ordered(d.cache_latency_cycles, d.memory_latency_cycles, "cache_latency_cycles",
          "memory_latency_cycles");
}

} // namespace

Description parse_description(std::string_view text, std::string_view what) {
  const json file = json::parse(text, nullptr, false);
  refuse_if(!file.is_object(),
            "{} is not a JSON object with name, kind, architecture and constants", what);
  Description d;
  const auto string = [&](const char* name, std::string_view right) {
    return member(file, name, json::value_t::string, what, right).get<std::string>();
  };
  d.name = string("name", "text, as the vendor calls the device");
  d.kind = kind_of(string("kind", names_of_kinds()), what);
  d.architecture = string("architecture", "text, such as \"gfx90a\" or \"sm_90\"");
  const json& values =
      member(file, "constants", json::value_t::object, what, "an object of numbers by name");
  for (const Constant& c : constants_of(d))
    d.*c.member = number(values, c, what);
  for (const Constant& c : optional_constants())
    if (values.contains(std::string(c.name))) d.*c.member = number(values, c, what);
  const std::vector<Constant> all = all_constants_of(d);
  for (const auto& [name, value] : values.items()) {
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const Constant& c) { return c.name == name; });
    if (!known) {
      throw UsageError(fmt::format("{}: unknown constant '{}'; the constants are {}", what, name,
                                   names_of_constants(d)));
    }
  }
  check_together(d, what);
  if (const auto sources = file.find("sources"); sources != file.end() && sources->is_object()) {
    for (const auto& [name, source] : sources->items())
      d.sources[name] = source.is_string() ? source.get<std::string>() : source.dump();
  }
  return d;
}

std::string to_json(const Description& d) {
  nlohmann::ordered_json file{
      {"name", d.name}, {"kind", facts_of(d.kind).name}, {"architecture", d.architecture}};
  for (const Constant& c : all_constants_of(d)) {
    const double value = d.*c.member;
    const bool behind = c.member == &D::memory_cache_bytes || c.member == &D::memory_cache_ways;
    if (behind && d.memory_cache_bytes == 0) continue; // there is no such cache
    constexpr double exact = 1LL << 53;
    // Whole numbers without a point, as people write them.
    if (value == std::floor(value) && std::abs(value) < exact)
      file["constants"][std::string(c.name)] = static_cast<long long>(value);
    else
      file["constants"][std::string(c.name)] = value;
  }
  file["sources"] = d.sources;
  return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace ridge::model
