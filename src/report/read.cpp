#include <ridge/core/error.hpp>
#include <ridge/report/read.hpp>

#include "../core/refuse.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace ridge::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view right = "it must be an array of records, as ridge bench --json prints";

/// The fields of one JSON object; errors begin with where it is.
class Fields {
public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    refuse_if(!object.is_object(), "{} is no record; {}", where_, right);
  }

  [[noreturn]] void fail(std::string_view name, const std::string& must) const {
    throw UsageError(fmt::format("{}: '{}' must be {}", where_, name, must));
  }

  /// Null when it is missing or null.
  [[nodiscard]] const Json* find(std::string_view name) const {
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }

  [[nodiscard]] std::string text(std::string_view name) const {
    const Json* const value = find(name);
    if (value == nullptr) return "";
    if (!value->is_string()) fail(name, "a text");
    return value->get<std::string>();
  }

  [[nodiscard]] std::string required(std::string_view name) const {
    require(name);
    return text(name);
  }

  void require(std::string_view name) const {
    refuse_if(find(name) == nullptr, "{} has no '{}'; {}", where_, name, right);
  }

  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const Json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || value->get<double>() < 0) fail(name, "a number not below 0");
    return value->get<double>();
  }

  [[nodiscard]] bool flag(std::string_view name) const {
    const Json* const value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) fail(name, "true or false");
    return value->get<bool>();
  }

  [[nodiscard]] Index count(std::string_view name, const Json& value) const {
    if (!value.is_number_integer() || value.get<Index>() < 1) fail(name, "of integers above 0");
    return value.get<Index>();
  }

  [[nodiscard]] const Json& object() const { return object_; }
  [[nodiscard]] const std::string& where() const { return where_; }

private:
  const Json& object_;
  std::string where_;
};

/// Numbers, texts and yes or no, as people read them; nested values as JSON.
std::string shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_null()) return "";
  return value.dump();
}

std::string shown(const Fields& fields, std::string_view name) {
  const Json* const value = fields.find(name);
  return value == nullptr ? "" : shown(*value);
}

std::optional<SavedCheck> check_of(const Fields& record) {
  const Json* const value = record.find("check");
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) record.fail("check", "an object");
  const Fields fields(*value, record.where() + ", check");
  fields.require("ok");
  return SavedCheck{fields.flag("ok"), fields.number("max_error"), fields.text("message")};
}

std::vector<Remark> counters_of(const Fields& record) {
  std::vector<Remark> counters;
  const Json* const value = record.find("counters");
  if (value == nullptr) return counters;
  if (!value->is_object()) record.fail("counters", "an object of names and numbers");
  for (const auto& [name, number] : value->items())
    counters.push_back({name, shown(number)});
  return counters;
}

std::vector<Diagnosis> diagnoses_of(const Fields& record) {
  std::vector<Diagnosis> diagnoses;
  const Json* const value = record.find("diagnoses");
  if (value == nullptr) return diagnoses;
  if (!value->is_array()) record.fail("diagnoses", "an array");
  for (const Json& one : *value) {
    if (!one.is_object()) record.fail("diagnoses", "an array of objects with a 'cause'");
    const Fields fields(one, record.where() + ", diagnosis");
    diagnoses.push_back({fields.required("cause"), shown(fields, "evidence"),
                         shown(fields, "threshold"), shown(fields, "predicted_gain"),
                         shown(fields, "proved_gain"), shown(fields, "fix")});
  }
  return diagnoses;
}

/// The fields that `record_of` reads; others are its pattern's own.
constexpr auto known = std::to_array<std::string_view>(
    {"version",       "pattern",       "kernel",        "device",      "device_name",
     "precision",     "site",          "operations",    "size",        "schedule",
     "schedule_name", "seconds",       "seconds_min",   "seconds_max", "host_seconds",
     "repeats",       "bytes_read",    "bytes_written", "flops",       "items",
     "convention",    "achieved",      "roof",          "fraction",    "fraction_low",
     "fraction_high", "achieved_unit", "roof_name",     "compiled",    "ranks",
     "in_cache",      "check",         "counters",      "diagnoses",   "joules"});

std::vector<Remark> remarks_of(const Fields& record) {
  std::vector<Remark> remarks;
  for (const auto& [name, value] : record.object().items()) {
    if (value.is_structured() || value.is_null()) continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      remarks.push_back({name, shown(value)});
    }
  }
  return remarks;
}

void require_version(const Fields& fields) {
  const Json* const version = fields.find("version");
  if (version == nullptr || *version == record_version) return;
  throw UsageError(fmt::format("{} is of version {}; this ridge reads version {}", fields.where(),
                               version->dump(), record_version));
}

std::vector<Index> size_of(const Fields& fields) {
  fields.require("size");
  const Json& value = *fields.find("size");
  if (!value.is_array() || value.empty()) fields.fail("size", "an array of integers above 0");
  std::vector<Index> size;
  for (const Json& n : value)
    size.push_back(fields.count("size", n));
  return size;
}

int ranks_of(const Fields& fields) {
  const Json* const value = fields.find("ranks");
  if (value == nullptr) return 1;
  const bool good = value->is_number_integer() && *value >= 1 && *value <= 1 << 30;
  if (!good) fields.fail("ranks", "an integer above 0");
  return value->get<int>();
}

SavedRecord record_of(const Fields& f) {
  require_version(f);
  SavedRecord r;
  r.pattern = f.text("pattern");
  r.kernel = f.required("kernel");
  r.device = f.required("device");
  r.device_name = f.text("device_name");
  r.precision = f.required("precision");
  r.site = f.text("site");
  r.operations = f.number("operations");
  r.size = size_of(f);
  r.schedule = f.text("schedule");
  r.schedule_name = f.text("schedule_name");
  r.seconds = f.number("seconds");
  r.seconds_min = f.number("seconds_min");
  r.seconds_max = f.number("seconds_max");
  r.host_seconds = f.number("host_seconds");
  r.repeats = f.number("repeats");
  r.bytes_read = f.number("bytes_read");
  r.bytes_written = f.number("bytes_written");
  r.flops = f.number("flops");
  r.items = f.number("items");
  r.convention = f.text("convention");
  r.achieved = f.number("achieved");
  r.achieved_unit = f.text("achieved_unit");
  r.roof = f.number("roof");
  r.roof_name = f.text("roof_name");
  r.fraction = f.number("fraction");
  r.fraction_low = f.number("fraction_low");
  r.fraction_high = f.number("fraction_high");
  r.compiled = f.text("compiled");
  r.ranks = ranks_of(f);
  r.in_cache = f.flag("in_cache");
  r.modelled = f.flag("modelled");
  if (r.modelled) {
    r.fetched_bytes = f.number("fetched_bytes");
    r.hit_rate = f.number("hit_rate");
  }
  r.joules = f.number("joules");
  r.check = check_of(f);
  r.counters = counters_of(f);
  r.diagnoses = diagnoses_of(f);
  r.remarks = remarks_of(f);
  return r;
}

SavedRoof roof_of(const Json& json, const std::string& name) {
  const Fields fields(json, name);
  SavedRoof roof{fields.required("device"), fields.text("device_name"), {}};
  const Json& ceilings = *fields.find("ceilings");
  if (!ceilings.is_array()) fields.fail("ceilings", "an array");
  for (const Json& one : ceilings) {
    if (!one.is_object()) fields.fail("ceilings", "an array of objects");
    const Fields c(one, name + ", ceiling");
    // A ceiling that could not be measured is null.
    if (const auto value = c.number("value"); value && *value > 0) {
      roof.ceilings.push_back({c.required("name"), *value, c.required("unit"), c.text("how")});
    }
  }
  return roof;
}

/// "line 3, column 7" of a place in the text.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = before.size() - (begin == std::string_view::npos ? 0 : begin + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

Json parse(std::string_view text, const std::string& name) {
  refuse_if(text.find_first_not_of(" \t\r\n") == std::string_view::npos, "{} is empty; {}", name,
            right);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string where =
        error.byte > text.size() ? "its end" : line_and_column(text, error.byte);
    throw UsageError(fmt::format("{} is no JSON at {}; {}", name, where, right));
  } catch (const Json::exception&) { // a number beyond what a double holds
    throw UsageError(fmt::format("{} has a number that is too large; {}", name, right));
  }
}

} // namespace

Saved parse_saved(std::string_view text, const std::string& name) {
  const Json json = parse(text, name);
  Saved saved{name, {}, std::nullopt};
  if (json.is_object()) {
    require_version(Fields(json, name));
    refuse_if(!json.contains("ceilings"), "{} is an object; {}", name, right);
    saved.roof = roof_of(json, name);
    return saved;
  }
  refuse_if(!json.is_array(), "{} is no array; {}", name, right);
  refuse_if(json.empty(), "{} holds no records", name);
  for (std::size_t i = 0; i < json.size(); ++i)
    saved.records.push_back(record_of(Fields(json[i], fmt::format("{}, record {}", name, i + 1))));
  return saved;
}

Saved read_saved(const std::filesystem::path& file) {
  std::error_code ignored;
  refuse_if(std::filesystem::is_directory(file, ignored), "{} is a folder; give a file of records",
            file.string());
  std::ifstream stream(file, std::ios::binary);
  refuse_if(!stream, "{} cannot be read: {}", file.string(), std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  refuse_if(stream.bad(), "{} cannot be read", file.string());
  return parse_saved(text, file.string());
}

} // namespace ridge::report
