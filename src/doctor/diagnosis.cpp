#include <ridge/doctor/diagnosis.hpp>

#include <algorithm>

namespace ridge::doctor {

namespace {

/// What is told of a cause that holds; without a schedule that cures it.
std::optional<Diagnosis> check(const Cause& cause, const Facts& facts) {
  const auto evidence = cause.evidence(facts);
  if (!evidence || !cause.found(*evidence)) return {};
  Diagnosis d;
  d.cause = &cause;
  d.evidence = *evidence;
  d.predicted_gain = time_of(facts).seconds.value / time_of(cause.healed(facts)).seconds.value;
  d.fix = cause.action;
  return d;
}

bool counts(const Diagnosis& d) {
  return d.predicted_gain >= 1 / (1 - least_saving);
}

std::string described(const Prescription& p) {
  return "schedule " + (p.name.empty() ? "" : p.name + ": ") + p.schedule;
}

/// Looks for the fastest schedule without the cause.
void prescribe(Diagnosis& d, const Patient& patient, const Facts& sick,
               const std::vector<Prescription>& candidates) {
  const double now = time_of(sick).seconds.value;
  double to_beat = 1 / (1 - least_saving);
  for (const Prescription& p : candidates) {
    const Facts facts = patient.facts(p.schedule);
    if (!d.cause->is_cured(sick, facts)) continue;
    const double gain = now / time_of(facts).seconds.value;
    if (gain <= to_beat) continue;
    to_beat = gain;
    d.predicted_gain = gain;
    d.schedule = p.schedule;
    d.fix = described(p);
  }
}

/// The schedule with a name that the model takes for the fastest, where it saves enough.
Best best_of(const Patient& patient, const Facts& sick) {
  Best best;
  double to_beat = 1 / (1 - least_saving);
  for (const Prescription& p : patient.named()) {
    const double gain =
        time_of(sick).seconds.value / time_of(patient.facts(p.schedule)).seconds.value;
    if (gain <= to_beat) continue;
    to_beat = gain;
    best = {described(p), gain};
  }
  return best;
}

void sort_by_gain(std::vector<Diagnosis>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Diagnosis& a, const Diagnosis& b) {
    return a.predicted_gain > b.predicted_gain;
  });
}

} // namespace

std::vector<Diagnosis> diagnose(const Facts& facts) {
  std::vector<Diagnosis> all;
  for (const Cause& cause : causes()) {
    const auto found = check(cause, facts);
    if (found && counts(*found)) all.push_back(*found);
  }
  sort_by_gain(all);
  return all;
}

Findings diagnose(const Patient& patient, const std::string& schedule, const Record* record) {
  Findings findings;
  findings.facts = patient.facts(schedule);
  if (record != nullptr) add_measured(findings.facts, *record);
  findings.time = time_of(findings.facts);
  for (const Cause& cause : causes()) {
    auto found = check(cause, findings.facts);
    if (!found) continue;
    prescribe(*found, patient, findings.facts, patient.changes(schedule));
    if (found->schedule.empty()) prescribe(*found, patient, findings.facts, patient.named());
    if (counts(*found)) findings.diagnoses.push_back(*found);
  }
  sort_by_gain(findings.diagnoses);
  findings.best = best_of(patient, findings.facts);
  findings.advice = patient.advice(findings.facts, findings.time);
  return findings;
}

} // namespace ridge::doctor
