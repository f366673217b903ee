// The doctor's words on a program that is not Ridge's, as JSON and as records.
#include <ridge/core/error.hpp>
#include <ridge/doctor/foreign/say.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace ridge::doctor {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// Where the kernel of a cause spills, and the size of its cache.
void add_places(Json& json, const ForeignKernel& k, std::string_view cause) {
  if (cause == "spilled-registers") {
    for (const SpillLine& l : k.spills)
      json["lines"].push_back(
          {{"file", l.file}, {"line", l.line}, {"stores", l.stores}, {"loads", l.loads}});
  }
  if (cause == "cache-overflow" && k.counts.cache_bytes)
    json["cache_bytes"] = *k.counts.cache_bytes;
}

void add_twin(Json& json, const std::vector<TwinRun>& twins, std::string_view cause) {
  for (const TwinRun& t : twins) {
    if (t.cause != cause) continue;
    json["twin"] = {{"twin", t.what}, {"change", t.change}};
    if (t.missing.empty()) {
      json["twin"]["seconds"] = t.seconds;
      json["twin"]["changed_seconds"] = t.changed_seconds;
      json["twin"]["gain"] = t.gained();
    } else {
      json["twin"]["missing"] = t.missing;
    }
  }
}

Json json_of(const Foreign& whole, const ForeignKernel* kernel,
             const std::vector<ForeignDiagnosis>& found) {
  Json all = Json::array();
  for (const ForeignDiagnosis& d : found) {
    const auto trial = whole.run.trials.find(d.cause->name);
    all.push_back(
        {{"cause", d.cause->name},
         {"title", d.cause->title},
         {"evidence", d.evidence},
         {"evidence_unit", d.cause->unit},
         {"threshold", d.cause->threshold},
         {"predicted_gain", d.missing.empty() ? Json(d.gain) : Json(nullptr)},
         {"proved_gain", trial != whole.run.trials.end() ? Json(trial->second) : Json(nullptr)},
         {"experiment", d.cause->experiment},
         {"fix", d.cause->action}});
    if (kernel != nullptr) add_places(all.back(), *kernel, d.cause->name);
    add_twin(all.back(), kernel != nullptr ? kernel->twins : whole.run.twins, d.cause->name);
  }
  return all;
}

Json json_of(const ForeignRun& r) {
  Json program{{"seconds", nullptr}};
  if (r.wall > 0)
    program = Json{{"seconds", r.wall},
                   {"cpu_seconds", r.cpu},
                   {"cores", r.cores},
                   {"others_seconds", r.others},
                   {"recording_seconds", r.recording}};
  if (!r.device_name.empty()) program["device_name"] = r.device_name;
  if (r.span > 0) {
    program["timeline"] = {{"seconds", r.span},
                           {"kernels", r.busy / r.span},
                           {"copies", r.copying / r.span},
                           {"idle", r.idle / r.span},
                           {"waiting", r.waiting / r.span},
                           {"launching", r.launching / r.span},
                           {"allocating", r.allocating / r.span},
                           {"loading", r.loading / r.span},
                           {"outside", r.outside / r.span},
                           {"launches", r.launches},
                           {"waits", r.waits},
                           {"copied_bytes", r.copied_bytes}};
  }
  if (const CardState& c = r.card; c.samples > 0) {
    program["card"] = {{"samples", c.samples},       {"watts", c.watts},
                       {"most_watts", c.most_watts}, {"limit_watts", c.limit_watts},
                       {"clock_hz", c.clock_hz},     {"best_clock_hz", c.best_clock_hz},
                       {"celsius", c.celsius},       {"held_by_power", c.by_power},
                       {"held_by_heat", c.by_heat},  {"held_by_setting", c.by_setting}};
  }
  for (const auto& [what, seconds] : r.taken)
    program["doctor_seconds"][what] = seconds;
  program["notes"] = r.notes;
  return program;
}

/// Under the names of the profiler that counted them.
Json counters_of(const ForeignKernel& k) {
  Json all = Json::object();
  std::vector<Counted LaunchCounts::*> told; // under the first of its names
  for (const CountName& row : count_names()) {
    const Counted& value = k.counts.*row.member;
    const bool is_ncu = row.name.find("__") != std::string_view::npos;
    if (!value || is_ncu == k.counted_by.starts_with("rocprof") ||
        std::find(told.begin(), told.end(), row.member) != told.end())
      continue;
    told.push_back(row.member);
    all.emplace(std::string(row.name), *value);
  }
  return all;
}

Json kernel_json(const Foreign& all, const ForeignKernel& k, const ForeignAsked& asked) {
  const Busy busy = busy_of(k.counts);
  const double whole = all.kernel_seconds();
  Json json{{"kernel", k.name},
            {"launches", k.launches},
            {"seconds", all.has_times() ? Json(k.mean()) : Json(nullptr)},
            {"share", whole > 0 ? Json(k.seconds / whole) : Json(nullptr)},
            {"shape", k.shape},
            {"counted_by", k.counted_by},
            {"least_bytes", asked.bytes > 0 ? Json(asked.bytes) : Json(nullptr)},
            {"busiest", busy.most() > 0 ? Json(busy.busiest().second) : Json(nullptr)},
            {"busy", busy.busiest().first}};
  if (const Counted bytes = k.counts.bytes()) json["bytes"] = *bytes;
  if (const Counted flops = k.counts.flops()) json["flops"] = *flops;
  json["counters"] = counters_of(k);
  json["causes"] = json_of(all, &k, diagnose_kernel(all, k, asked.bytes));
  return json;
}

Json record_of(const Foreign& all, const ForeignKernel& k, const ForeignAsked& asked) {
  const LaunchCounts& c = k.counts;
  const double seconds = k.launch_seconds.value_or(all.passed(k));
  const double read = asked.bytes > 0 ? asked.bytes : c.bytes_read.value_or(0);
  const double written = asked.bytes > 0 ? 0 : c.bytes_written.value_or(0);
  const bool is_double = c.fp64_operations.value_or(0) > c.fp32_operations.value_or(0);
  const double items = std::max(1.0, c.blocks.value_or(1) * c.block_threads.value_or(1));
  Json r{{"pattern", "foreign"},
         {"kernel", short_name(k.name)},
         {"device", all.run.device.empty() ? "cuda:0" : all.run.device},
         {"device_name", all.run.device_name},
         {"precision", is_double ? "fp64" : "fp32"},
         {"size", Json::array({static_cast<std::int64_t>(items)})},
         {"schedule", k.shape},
         {"seconds", all.passed(k)},
         {"seconds_min", k.shortest > 0 ? k.shortest : all.passed(k)},
         {"repeats", k.launches},
         {"bytes_read", read},
         {"bytes_written", written},
         {"flops", asked.flops > 0 ? asked.flops : c.flops().value_or(0)},
         {"convention",
          asked.bytes > 0 ? "least bytes as given" : "bytes that " + k.counted_by + " counted"}};
  if (read + written > 0 && seconds > 0) {
    r["achieved"] = (read + written) / seconds;
    r["achieved_unit"] = "B/s";
    if (const double peak = all.peak_of(k); peak > 0) {
      r["roof"] = peak;
      r["roof_name"] = peak == all.read_bytes_per_second ? "a read here" : all.peak_name;
      r["fraction"] = (read + written) / seconds / peak;
    }
  }
  r["diagnoses"] = json_of(all, &k, diagnose_kernel(all, k, asked.bytes));
  return r;
}

} // namespace

std::string foreign_json(const Foreign& all, const ForeignAsked& asked) {
  Json json{{"program", json_of(all.run)}};
  json["program"]["causes"] = json_of(all, nullptr, diagnose_run(all));
  json["kernels"] = Json::array();
  for (const ForeignKernel* const kernel : chosen(all, asked))
    json["kernels"].push_back(kernel_json(all, *kernel, asked));
  return text_of(json);
}

std::string foreign_records(const Foreign& all, const ForeignAsked& asked) {
  Json records = Json::array();
  for (const ForeignKernel* const kernel : chosen(all, asked))
    if (kernel->mean() > 0 && all.has_times()) records.push_back(record_of(all, *kernel, asked));
  if (records.empty()) throw Failure("no kernel has a time: there is no record to write");
  return text_of(records) + "\n";
}

} // namespace ridge::doctor
