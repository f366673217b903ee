#include <ridge/doctor/diagnosis.hpp>

#include <algorithm>
#include <utility>

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
  d.gain_alone = d.predicted_gain;
  d.fix = cause.action;
  return d;
}

constexpr double least_gain = 1 / (1 - least_saving);

bool counts(const Diagnosis& d) {
  return d.predicted_gain >= least_gain;
}

std::string described(const NamedText& p) {
  return "schedule " + (p.name.empty() ? "" : p.name + ": ") + p.text;
}

/// A schedule that may be prescribed, and what a launch under it is.
struct Candidate {
  NamedText schedule;
  Facts facts;
  double seconds = 0;
};

/// A cpu starts no threads for little work: a run that took less than their start had none. Each of
/// several launches then costs a share of what the run took beside its data.
void take_measured_launches(Facts& f) {
  const double launches = f.launches * f.launch_share;
  const bool starts = f.device.is_gpu() || f.measured_seconds <= 0 ||
                      f.measured_seconds >= launches * f.device.launch_seconds;
  if (starts) return;
  f.device.launch_seconds = 0;
  if (launches > 1) {
    const double beside = f.measured_seconds - time_of(f).seconds.value;
    f.device.launch_seconds = std::max(0.0, beside) / launches;
  }
}

std::vector<Candidate> examined(const Menu& menu, const Facts& sick,
                                const std::vector<NamedText>& all) {
  std::vector<Candidate> candidates;
  for (const NamedText& p : all) {
    candidates.push_back({p, menu.predict(p.text).facts, 0});
    candidates.back().facts.device.launch_seconds = sick.device.launch_seconds;
    candidates.back().seconds = time_of(candidates.back().facts).seconds.value;
  }
  return candidates;
}

/// Looks for the fastest schedule without the cause. What is found already is only given up for
/// one that saves enough beside it.
void prescribe(Diagnosis& d, const Facts& sick, const std::vector<Candidate>& candidates) {
  const double now = time_of(sick).seconds.value;
  double to_beat = d.schedule.empty() ? least_gain : d.predicted_gain * least_gain;
  for (const auto& [p, facts, seconds] : candidates) {
    if (!d.cause->is_cured(sick, facts)) continue;
    const double gain = now / seconds;
    if (gain <= to_beat) continue;
    to_beat = gain;
    d.predicted_gain = gain;
    d.schedule = p.text;
    d.fix = described(p);
  }
}

/// The schedule with a name that the model takes for the fastest, where it saves enough.
Best best_of(const std::vector<Candidate>& named, const Facts& sick) {
  Best best;
  double to_beat = least_gain;
  for (const auto& [p, facts, seconds] : named) {
    const double gain = time_of(sick).seconds.value / seconds;
    if (gain <= to_beat) continue;
    to_beat = gain;
    best = {described(p), gain};
  }
  return best;
}

void sort_by_gain(std::vector<Diagnosis>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Diagnosis& a, const Diagnosis& b) {
    // Of causes with one cure the heavier is told first.
    return std::pair(a.predicted_gain, a.gain_alone) > std::pair(b.predicted_gain, b.gain_alone);
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

bool is_recorded(const Record& record) {
  return std::any_of(causes().begin(), causes().end(), [&](const Cause& cause) {
    return cause.recorded != nullptr && cause.recorded(record);
  });
}

bool has_schedules_to_try(const Record& record) {
  return std::any_of(causes().begin(), causes().end(),
                     [&](const Cause& cause) { return cause.tries && cause.recorded(record); });
}

std::vector<Diagnosis> diagnose(const Record& record, const std::vector<Record>& tried) {
  std::vector<Diagnosis> all;
  for (const Cause& cause : causes()) {
    if (cause.recorded == nullptr) continue;
    const auto evidence = cause.recorded(record);
    if (!evidence || !cause.found(*evidence)) continue;
    const Cure cure = cause.cure(record, tried);
    Diagnosis d{&cause, *evidence, cure.gain, cure.gain, cure.fix, cure.schedule};
    if (counts(d)) all.push_back(std::move(d));
  }
  sort_by_gain(all);
  return all;
}

Findings diagnose(const Menu& menu, const std::string& schedule, const Record* record) {
  Findings findings;
  findings.facts = menu.predict(schedule).facts;
  if (record != nullptr) add_measured(findings.facts, *record);
  take_measured_launches(findings.facts);
  findings.time = time_of(findings.facts);
  const std::vector<Candidate> named = examined(menu, findings.facts, menu.named());
  std::vector<Candidate> changes;
  for (const Cause& cause : causes()) {
    auto found = check(cause, findings.facts);
    if (!found) continue;
    if (changes.empty()) changes = examined(menu, findings.facts, menu.changes(schedule));
    prescribe(*found, findings.facts, changes);
    prescribe(*found, findings.facts, named);
    if (counts(*found)) findings.diagnoses.push_back(*found);
  }
  sort_by_gain(findings.diagnoses);
  findings.best = best_of(named, findings.facts);
  findings.advice = menu.advice(findings.facts, findings.time);
  return findings;
}

bool Findings::is_unexplained() const {
  return diagnoses.empty() && best.predicted_gain > much_faster;
}

} // namespace ridge::doctor
