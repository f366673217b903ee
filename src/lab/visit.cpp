#include <ridge/core/error.hpp>
#include <ridge/device/kind.hpp>
#include <ridge/doctor/levels.hpp>
#include <ridge/doctor/pages.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/visit.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ridge::lab {

namespace {

using doctor::Diagnosis;
using nlohmann::ordered_json;

/// The fields of the contract: cause, evidence, ..., fix.
ordered_json diagnosis_json(const Visit& v, std::size_t i) {
  const Diagnosis& d = v.findings.diagnoses[i];
  ordered_json o{{"cause", d.cause->name},
                 {"evidence", d.evidence},
                 {"evidence_unit", d.cause->unit},
                 {"threshold", d.cause->threshold},
                 {"predicted_gain", d.predicted_gain},
                 {"proved_gain", nullptr},
                 {"fix", d.fix}};
  if (!d.schedule.empty()) o["cured_schedule"] = d.schedule;
  if (i < v.proofs.size() && v.proofs[i]) {
    o["proved_gain"] = v.proofs[i]->gain;
    o["proved_low"] = v.proofs[i]->low;
    o["proved_high"] = v.proofs[i]->high;
    o["holds"] = v.proofs[i]->confirms(d.predicted_gain);
  }
  return o;
}

/// What each level of a cycle costs.
void add_levels(ordered_json& o, const Record& record) {
  for (const doctor::LevelCost& level : doctor::levels_of(record)) {
    ordered_json l{{"points", level.points},     {"seconds", level.seconds},
                   {"share", level.share},       {"bytes", level.least},
                   {"bytes_moved", level.moved}, {"launches", level.launches},
                   {"fraction", nullptr},        {"dominated_by", nullptr}};
    if (level.copy > 0) {
      l["fraction"] = level.fraction();
      l["dominated_by"] = level.dominated_by();
    }
    o["levels"].push_back(std::move(l));
  }
}

ordered_json json_of(const Visit& v, std::size_t i) {
  auto sizes = ordered_json::array();
  for (int k = 0; k < v.size.rank(); ++k)
    sizes.push_back(v.size[k]);
  ordered_json o{{"kernel", v.kernel},
                 {"device", v.device},
                 {"device_name", v.device_name},
                 {"precision", v.precision},
                 {"size", sizes},
                 {"schedule", v.schedule.text},
                 {"modelled_seconds", nullptr},
                 {"modelled_roof", nullptr},
                 {"seconds", nullptr}};
  if (v.findings.is_modelled()) {
    o["modelled_seconds"] = v.findings.time.seconds.value;
    o["modelled_roof"] = v.findings.time.roof;
  }
  if (v.record) {
    o["seconds"] = v.record->timing->median.value;
    add_levels(o, *v.record);
  }
  o.update(diagnosis_json(v, i));
  return o;
}

} // namespace

void measure_ceilings(Place& place, RoofSource& roof, const std::function<void()>& between) {
  const auto replace = [&](double model::Description::*member, const char* name) {
    if (between) between();
    if (const Ceiling* const found = roof.find(name))
      place.described.value().*member = found->value;
  };
  replace(&model::Description::copy_bytes_per_second, "copy");
  // The model knows the bytes that such an L1 asks the next cache for.
  if (facts_of(place.device).l1_serves_rows)
    replace(&model::Description::cache_bytes_per_second, "cache_copy");
  if (place.device.is_gpu()) return; // the data sheet says the rest
  replace(&model::Description::fp32_flops, "fma_fp32");
  replace(&model::Description::fp64_flops, "fma_fp64");
  replace(&model::Description::launch_seconds, "launch");
  replace(&model::Description::cache_bytes_per_second, "cache_copy");
  // A plain copy reads, beside the bytes that count, the lines that it writes: half as many.
  if (const Ceiling* const plain = roof.find("copy_plain")) {
    place.fill_cost =
        std::clamp(2 * (place.described->copy_bytes_per_second / plain->value - 1), 0.0, 1.0);
  }
}

void run_visit(Visit& visit, Case& running, const BenchRequest& request, RoofSource& roof) {
  bench_case(running, request, roof, [&](const Record& record) { visit.record = record; });
  if (visit.record->check && !visit.record->check->ok) {
    throw Failure(fmt::format("{} under '{}': {}", visit.kernel, visit.schedule.text,
                              visit.record->check->message));
  }
  if (const auto memory = running.limit().memory; memory && request.device.host_accessible()) {
    const auto share = doctor::node_share(memory->a, static_cast<std::size_t>(memory->size.value));
    if (share) visit.record->details.push_back({model::node_share_detail, *share, {}});
  }
}

void examine_record(Visit& visit, Case& running, const std::function<void()>& between) {
  std::vector<Record> tried; // a run counts what a schedule does
  std::vector<NamedText> others;
  if (doctor::has_schedules_to_try(*visit.record))
    others = running.menu().changes(visit.schedule.text);
  for (const NamedText& other : others) {
    if (between) between();
    const Program program = running.bind(other);
    program.run();
    tried.push_back(program.record());
  }
  visit.findings.diagnoses = doctor::diagnose(*visit.record, tried);
  visit.findings.best = doctor::default_of(*visit.record);
}

void prove_visit(Visit& visit, Case& running, const std::function<void()>& between) {
  for (const Diagnosis& d : visit.findings.diagnoses) {
    visit.proofs.emplace_back();
    if (d.schedule.empty()) continue; // what is to be done is not a schedule's to do
    visit.proofs.back() = prove(running, visit.schedule, {"", d.schedule}, between);
  }
}

void prove_advice(Visit& visit, Case& running, const std::function<void()>& between) {
  visit.of_advice = prove(running, visit.schedule, {"", visit.findings.advice->schedule}, between);
}

std::string visit_json(const Visit& visit) {
  auto all = ordered_json::array();
  for (std::size_t i = 0; i < visit.findings.diagnoses.size(); ++i)
    all.push_back(json_of(visit, i));
  return all.dump(2);
}

std::string record_text(const Visit& v) {
  ordered_json record = ordered_json::parse(to_json(*v.record));
  record["diagnoses"] = ordered_json::array();
  for (std::size_t i = 0; i < v.findings.diagnoses.size(); ++i)
    record["diagnoses"].push_back(diagnosis_json(v, i));
  return ordered_json::array({record}).dump(2) + "\n";
}

} // namespace ridge::lab
