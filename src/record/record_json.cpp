#include <ridge/record/cache_roof.hpp>
#include <ridge/record/record.hpp>
#include <ridge/record/roof.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <tuple>
#include <type_traits>

namespace ridge {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// Names and messages can hold bytes that are no UTF-8, such as a path: those are replaced.
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Values of one field.

template <class T>
Json json_of(const T& value) {
  if constexpr (std::is_floating_point_v<T>) return number(value);
  return value;
}
Json json_of(Seconds value) {
  return number(value.value);
}
Json json_of(const DeviceId& device) {
  return to_text(device);
}
Json json_of(const Extents& size) {
  Json json = Json::array();
  for (int d = 0; d < size.rank(); ++d)
    json.push_back(size[d]);
  return json;
}
Json json_of(const Check& check) {
  Json json;
  json["ok"] = check.ok;
  json["max_error"] = number(check.max_error);
  json["against"] = check.against;
  if (!check.message.empty()) json["message"] = check.message;
  return json;
}
Json json_of(const Counters& counters) {
  Json json;
  json["source"] = counters.source;
  json["bytes_read"] = number(counters.bytes_read);
  if (counters.bytes_written) json["bytes_written"] = number(*counters.bytes_written);
  if (counters.hit_rate) json["hit_rate"] = number(*counters.hit_rate);
  return json;
}
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

// Members of records: by default one field.

template <class T>
void add(Json& json, const char* name, const T& value) {
  json[name] = json_of(value);
}
void add(Json& json, const char* /*name*/, const std::optional<Timing>& timing) {
  json["seconds"] = timing ? number(timing->median.value) : Json(nullptr);
  json["seconds_min"] = timing ? number(timing->least.value) : Json(nullptr);
  json["seconds_max"] = timing ? number(timing->most.value) : Json(nullptr);
  json["repeats"] = timing ? Json(timing->repeats) : Json(nullptr);
}
void add(Json& json, const char* /*name*/, const Work& work) {
  json["bytes_read"] = work.read.value;
  json["bytes_written"] = work.written.value;
  json["flops"] = number(work.flops);
  json["items"] = work.items;
  json["convention"] = work.convention;
}
void add(Json& json, const char* /*name*/, const std::optional<Achievement>& achieved) {
  const bool roofed = achieved && achieved->roof > 0;
  json["achieved"] = achieved ? number(achieved->rate) : Json(nullptr);
  json["achieved_unit"] = achieved ? Json(achieved->unit) : Json(nullptr);
  json["roof"] = roofed ? number(achieved->roof) : Json(nullptr);
  json["roof_name"] = roofed ? Json(achieved->roof_name) : Json(nullptr);
  json["fraction"] = roofed ? number(achieved->fraction()) : Json(nullptr);
  if (roofed && achieved->fraction_high > 0) {
    json["fraction_low"] = number(achieved->fraction_low);
    json["fraction_high"] = number(achieved->fraction_high);
  }
}
/// "adjoint.slope" is a member of an object.
void add(Json& json, const char* /*name*/, const std::vector<Detail>& details) {
  for (const Detail& detail : details) {
    const std::size_t dot = detail.name.find('.');
    Json& member = dot == std::string::npos
                       ? json[detail.name]
                       : json[detail.name.substr(0, dot)][detail.name.substr(dot + 1)];
    member = detail.text.empty() ? number(detail.number) : Json(detail.text);
  }
}

/// Whether a member says anything.
template <class T>
bool is_set(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) return value != T{};
  return true;
}
bool is_set(const std::string& text) {
  return !text.empty();
}
template <class T>
bool is_set(const std::optional<T>& value) {
  return value.has_value();
}

Json json_of(const Record& record) {
  Json json;
  const auto take = [&](const auto& field) {
    const auto& value = record.*field.member;
    if (field.always || is_set(value)) add(json, field.name, value);
  };
  Record::fields().visit(take);
  return json;
}

} // namespace

std::string to_json(const Record& record, int indent) {
  return text_of(json_of(record), indent);
}

std::string to_json(const std::vector<Record>& records, int indent) {
  Json json = Json::array();
  for (const Record& record : records)
    json.push_back(json_of(record));
  return text_of(json, indent);
}

std::string to_json(const Roof& roof, int indent) {
  Json json;
  json["device"] = to_text(roof.device);
  json["device_name"] = roof.device_name;
  json["ceilings"] = Json::array();
  for (const Ceiling& ceiling : roof.ceilings) {
    Json one;
    one["name"] = ceiling.name;
    one["value"] = number(ceiling.value);
    one["unit"] = ceiling.unit;
    one["how"] = ceiling.how;
    json["ceilings"].push_back(std::move(one));
  }
  return text_of(json, indent);
}

std::string to_json(const CacheRoof& roof, int indent) {
  const auto optional = [](const auto& figure, const auto& value) {
    return figure ? Json(number(value(*figure))) : Json(nullptr);
  };
  const auto same = [](double value) { return value; };
  Json json;
  json["device"] = to_text(roof.device);
  json["device_name"] = roof.device_name;
  json["cache_bytes"] = roof.cache.value;
  json["held_bytes"] =
      optional(roof.held(), [](Bytes bytes) { return static_cast<double>(bytes.value); });
  json["plain_store_room"] = optional(roof.plain_room(), same);
  json["nontemporal_store_room"] = optional(roof.nontemporal_room(), same);
  json["cache_bytes_per_second"] = number(roof.cache_rate());
  json["cache_latency_seconds"] = number(roof.cache_latency().value);
  json["memory_latency_seconds"] = number(roof.memory_latency().value);
  if (roof.clock_hz > 0) json["clock_hz"] = number(roof.clock_hz);
  json["points"] = Json::array();
  for (const ReusePoint& p : roof.points) {
    json["points"].push_back({{"bytes", p.bytes.value},
                              {"read", number(p.read)},
                              {"read_beside_plain_stores", number(p.beside_plain)},
                              {"read_beside_nontemporal_stores", number(p.beside_nontemporal)},
                              {"latency_seconds", number(p.latency.value)}});
  }
  return text_of(json, indent);
}

} // namespace ridge
