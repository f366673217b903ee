// Which causes hold for a foreign kernel or program, and what their cures bring.
#include "rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ridge::doctor {

namespace {

std::array<std::pair<double, std::string_view>, 11> named(const Busy& b) {
  return {{{b.memory, "memory"},
           {b.cache, "the last-level cache"},
           {b.unit_cache, "the units' caches"},
           {b.shared, "shared memory"},
           {b.atomics, "atomics of one part of the cache"},
           {b.issue, "instruction issue"},
           {b.fp64, "the fp64 pipe"},
           {b.fp32, "the fp32 pipe"},
           {b.integer, "the integer pipe"},
           {b.special, "conversions and special functions"},
           {b.tensor, "the tensor pipe"}}};
}

std::vector<ForeignDiagnosis> diagnose(const Subject& subject, bool (*wanted)(CauseOf)) {
  std::vector<ForeignDiagnosis> found;
  for (const ForeignCause& cause : foreign_causes()) {
    if (!wanted(cause.of)) continue;
    const Counted evidence = cause.evidence(subject);
    if (!evidence || !std::isfinite(*evidence) || !cause.found(*evidence)) continue;
    std::string_view missing =
        cause.missing != nullptr ? cause.missing(subject) : subject.uncounted();
    double gain = missing.empty() ? cause.gain(subject, *evidence) : 1;
    if (!std::isfinite(gain)) {
      missing = "the counts contradict each other";
      gain = 1;
    }
    if (gain >= least_gain || !missing.empty()) found.push_back({&cause, *evidence, gain, missing});
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const ForeignDiagnosis& a, const ForeignDiagnosis& b) { return a.gain > b.gain; });
  return found;
}

} // namespace

double Busy::most() const {
  double all = 0;
  for (const auto& [share, name] : named(*this))
    all = std::max(all, share);
  return all;
}

std::pair<double, std::string_view> Busy::busiest() const {
  const auto all = named(*this);
  const auto most = *std::max_element(all.begin(), all.end());
  // A copy, whose data pass through the cache, keeps that busier than memory is, of its peak: 0.89
  // and 0.79 on an H200.
  const bool streams = most.first == cache && 1.25 * memory >= cache;
  return streams ? all.front() : most;
}

Busy busy_of(const LaunchCounts& c) {
  // Pipes count cycles in which a unit is active; a launch's time has the others, too.
  double active = 1;
  if (c.active_cycles && c.elapsed_cycles.value_or(0) > 0)
    active = std::min(1.0, *c.active_cycles / *c.elapsed_cycles);
  // An atomic takes three cycles that the counter has one of: 4 million of them on four addresses,
  // and nothing else, are 0.333 of its peak on an H200.
  constexpr double atomic_cycles = 3;
  const auto of_active = [&](const Counted& share) { return share.value_or(0) * active; };
  return {c.memory_busy.value_or(0),
          c.cache_busy.value_or(0),
          of_active(c.unit_cache_busy),
          c.shared_busy.value_or(0),
          std::min(1.0, atomic_cycles * c.atomic_busy.value_or(0)),
          of_active(c.issue_busy),
          of_active(c.fp64_busy),
          of_active(c.fp32_busy),
          of_active(c.integer_busy),
          of_active(c.special_busy),
          of_active(c.tensor_busy)};
}

std::string_view Subject::uncounted() const {
  const LaunchCounts& c = kernel->counts;
  if (busy.most() >= busy_enough) return {};
  if (!c.memory_busy) return "how busy memory is was not counted";
  if (!c.cache_busy || !c.unit_cache_busy) return "how busy the caches are was not counted";
  return c.issue_busy ? "" : "how busy instruction issue is was not counted";
}

double Subject::gain(const Busy& then) const {
  const double now = busy.most(), later = then.most();
  return now > 0 && later > 0 ? now / later : 1;
}

double Subject::cache_left(double hits, double misses) const {
  const double hit = kernel->counts.cache_hit_rate.value_or(0.5);
  return busy.cache * (hit * hits + (1 - hit) * misses);
}

double Subject::gain_of_more_under_way(double factor) const {
  const double now = busy.most();
  return now > 0 ? std::min(factor, std::max(1.0, within_reach / now)) : 1;
}

const std::vector<ForeignCause>& foreign_causes() {
  static const std::vector<ForeignCause> all = [] {
    std::vector<ForeignCause> rows;
    for (const auto& some :
         {host_causes(), memory_causes(), warp_causes(), instruction_causes(), processor_causes()})
      rows.insert(rows.end(), some.begin(), some.end());
    return rows;
  }();
  return all;
}

std::vector<ForeignDiagnosis> diagnose_kernel(const Foreign& all, const ForeignKernel& kernel,
                                              double least_bytes) {
  Subject subject{all, &kernel, busy_of(kernel.counts), least_bytes};
  if (least_bytes <= 0 && all.run.device_bytes > 0) {
    subject.least_bytes = all.run.device_bytes;
    subject.least_is_allocated = true;
  }
  return diagnose(subject, [](CauseOf of) { return of == CauseOf::kernel; });
}

std::vector<ForeignDiagnosis> diagnose_run(const Foreign& all) {
  return diagnose({all}, [](CauseOf of) { return of != CauseOf::kernel; });
}

} // namespace ridge::doctor
