#include "doctor_print.hpp"

#include <ridge/core/units.hpp>
#include <ridge/doctor/beyond.hpp>
#include <ridge/doctor/checklist.hpp>
#include <ridge/doctor/foreign/say.hpp>
#include <ridge/doctor/levels.hpp>
#include <ridge/lab/planted.hpp>
#include <ridge/lab/table.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ridge::app {

namespace {

using doctor::Diagnosis;
using nlohmann::ordered_json;

void print_proof(const std::optional<lab::Proof>& proof, double predicted) {
  if (!proof) {
    fmt::print("   proof      none: the change is not a schedule's to make\n");
    return;
  }
  fmt::print("   proof      {:.2f} times as fast ({:.2f} to {:.2f}, {} pairs): {}\n", proof->gain,
             proof->low, proof->high, proof->pairs,
             proof->confirms(predicted) ? "the prediction held" : "the prediction did NOT hold");
}

std::string threshold_text(const doctor::Cause& cause) {
  return fmt::format("{} {:g}", cause.above ? "above" : "below", cause.threshold);
}

/// Where a cycle spends its time.
void print_levels(const Record& record) {
  const auto levels = doctor::levels_of(record);
  if (levels.empty()) return;
  lab::Table table({"level", "points", "time", "share", "least bytes", "of the copy", "launches",
                    "dominated by"});
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const doctor::LevelCost& level = levels[l];
    table.add({std::to_string(l), level.points, to_text(Seconds{level.seconds}),
               fmt::format("{:.3f}", level.share), quantity(level.least, "B"),
               level.copy > 0 ? fmt::format("{:.2f}", level.fraction()) : "-",
               fmt::format("{:.0f}", level.launches),
               std::string(level.copy > 0 ? level.dominated_by() : "-")});
  }
  fmt::print("\n{}", table.text());
}

/// Prints how busy a GPU's units were, where they were counted.
void print_counts(const Record& record) {
  const auto detail = [&](const char* name) {
    return std::find_if(record.details.begin(), record.details.end(),
                        [&](const Detail& d) { return d.name == name; });
  };
  const auto arithmetic = detail(doctor::arithmetic_detail), memory = detail(doctor::memory_detail),
             instructions = detail(doctor::instructions_detail),
             causes = detail(doctor::counted_causes_detail);
  if (arithmetic == record.details.end()) return;
  fmt::print("counted  issue or a pipe is busy for {:.2f} of the time, memory or a cache for "
             "{:.2f}; {:.0f} "
             "instructions an item\n",
             arithmetic->number, memory->number, instructions->number);
  if (causes != record.details.end())
    fmt::print("         by its counters alone: {}\n", causes->text);
}

} // namespace

void print_visit(const lab::Visit& v, bool json) {
  if (json) {
    fmt::print("{}\n", lab::visit_json(v));
    return;
  }
  const auto& diagnoses = v.findings.diagnoses;
  fmt::print("{} {} {} on {}\nschedule {}{}\n", v.kernel, to_text(v.size), v.precision,
             v.device_name, v.schedule.name.empty() ? "" : v.schedule.name + ": ", v.schedule.text);
  if (v.record) {
    const auto& r = *v.record;
    fmt::print("measured {}", to_text(r.timing->median));
    if (r.achieved && r.achieved->roof > 0)
      fmt::print(", {:.3f} of {}{}", r.achieved->fraction(), r.achieved->roof_name,
                 r.in_cache ? ", in cache" : "");
    fmt::print("{}", v.findings.is_modelled() ? "; " : "\n");
  }
  if (v.findings.is_modelled()) {
    fmt::print("modelled {}, bound by {}\n", to_text(v.findings.time.seconds),
               v.findings.time.roof);
  }
  const double longer = v.record && v.findings.is_modelled()
                            ? v.record->timing->median.value / v.findings.time.seconds.value
                            : 1;
  const bool explained = std::any_of(diagnoses.begin(), diagnoses.end(), [](const Diagnosis& d) {
    return d.cause->recorded != nullptr;
  });
  if (longer > doctor::much_longer) {
    fmt::print(
        "that is {:.2f} times as long as modelled{}\n", longer,
        explained
            ? ""
            : ": the machine is busy, or something holds it up that the doctor does not know");
  }
  if (v.record) print_levels(*v.record);
  if (v.record) print_counts(*v.record);
  if (diagnoses.empty())
    fmt::print("none of the {} causes holds (--causes lists them)\n", doctor::causes().size());
  for (std::size_t i = 0; i < diagnoses.size(); ++i) {
    const Diagnosis& d = diagnoses[i];
    fmt::print("\n{}. {}: {}\n", i + 1, d.cause->name, d.cause->title);
    fmt::print("   evidence   {:.3g} {}; a cause when {}\n", d.evidence, d.cause->unit,
               threshold_text(*d.cause));
    fmt::print("   predicted  {:.2f} times as fast\n", d.predicted_gain);
    fmt::print("   fix        {}\n", d.fix);
    if (i < v.proofs.size()) print_proof(v.proofs[i], d.predicted_gain);
  }
  const doctor::Best& best = v.findings.best;
  if (!best.fix.empty())
    fmt::print("\nof all with names, {:.2f} times as fast: {}\n", best.predicted_gain, best.fix);
  if (v.findings.is_unexplained())
    fmt::print("the doctor cannot explain why: no cause that it knows holds\n");
  if (const auto& advice = v.findings.advice) {
    fmt::print("\nadvice     {}\n           schedule {}\n", advice->text, advice->schedule);
    if (const auto& p = v.of_advice) {
      fmt::print("   proof   {:.2f} times as fast ({:.2f} to {:.2f}, {} pairs)\n", p->gain, p->low,
                 p->high, p->pairs);
    }
  }
}

void print_explanation(const doctor::Cause& cause) {
  fmt::print("{}: {}\n\nevidence: {}; a cause when {}\n\n{}\n\nwhat to do: {}\nsource: {}\n",
             cause.name, cause.title, cause.unit, threshold_text(cause), cause.background,
             cause.action, cause.source);
}

void print_causes(bool json) {
  const auto confusion = lab::confusion_table();
  const auto list = [](const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names)
      all += (all.empty() ? "" : ", ") + name;
    return all.empty() ? "-" : all;
  };
  if (json) {
    auto all = ordered_json::array();
    for (const lab::Confusion& row : confusion) {
      const doctor::Cause& cause = doctor::find_cause(row.planted);
      all.push_back({{"cause", row.planted},
                     {"evidence_unit", cause.unit},
                     {"threshold", cause.threshold},
                     {"planted", row.what},
                     {"device_name", row.device},
                     {"named_first", row.named_first},
                     {"predicted_gain", row.gain},
                     {"also_named", row.also},
                     {"on_healthy", row.on_healthy}});
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  lab::Table causes({"cause", "evidence", "holds"});
  for (const doctor::Cause& c : doctor::causes())
    causes.add({std::string(c.name), std::string(c.unit), threshold_text(c)});
  lab::Table table({"planted", "named first", "gain", "also named", "on the healthy", "launch"});
  for (const lab::Confusion& row : confusion) {
    table.add({row.planted, row.named_first.empty() ? "none" : row.named_first,
               fmt::format("{:.2f}", row.gain), list(row.also), list(row.on_healthy), row.what});
  }
  lab::Table programs({"of programs", "cause", "--prove"});
  for (const doctor::CauseRow& row : doctor::foreign_cause_rows())
    programs.add({row.of, row.cause, row.proof});
  fmt::print("{}\n{}\n{}", causes.text(), table.text(), programs.text());
}

void print_checklist(const model::Facts& facts, bool json) {
  const auto items = doctor::checklist(facts);
  if (json) {
    auto all = ordered_json::array();
    for (const doctor::ChecklistItem& item : items) {
      all.push_back({{"name", item.name},
                     {"answer", item.answer},
                     {"good", item.good},
                     {"advice", item.advice}});
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  int number = 0;
  for (const doctor::ChecklistItem& item : items) {
    fmt::print("{}. {:<25} {:<6} {}\n", ++number, item.name, item.good ? "good" : "LOOK",
               item.answer);
    if (!item.good) fmt::print("   {:<25} {:<6} {}\n", "", "", item.advice);
  }
}

} // namespace ridge::app
