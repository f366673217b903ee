#include <ridge/core/error.hpp>
#include <ridge/doctor/beyond.hpp>
#include <ridge/doctor/foreign/cause.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/longer.hpp>
#include <ridge/record/measure.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::lab {

namespace {

/// Adds the causes that a record shows, the largest gain first.
void add_recorded(Visit& visit) {
  auto& all = visit.findings.diagnoses;
  for (doctor::Diagnosis& d : doctor::diagnose(*visit.record, {}))
    all.push_back(std::move(d));
  std::stable_sort(all.begin(), all.end(),
                   [](const doctor::Diagnosis& a, const doctor::Diagnosis& b) {
                     return a.predicted_gain > b.predicted_gain;
                   });
}

} // namespace

bool fills(const doctor::Facts& part) {
  return !part.device.is_gpu() || part.blocks >= part.resident;
}

bool is_longer(const Visit& visit) {
  if (!visit.record || !visit.record->timing || !visit.findings.is_modelled()) return false;
  const Record& record = *visit.record;
  const auto is_busy = [](const Detail& d) { return d.name == busy_detail; };
  return record.timing->median.value > doctor::much_longer * visit.findings.time.seconds.value &&
         std::none_of(record.details.begin(), record.details.end(), is_busy);
}

Extents part_of(const Extents& size, double bytes, double most) {
  constexpr Index least = 8;
  std::vector<Index> parts;
  for (int k = 0; k < size.rank(); ++k)
    parts.push_back(size[k]);
  for (std::size_t k = parts.size(); k-- > 0;) {
    while (bytes > most && parts[k] >= 2 * least) {
      const Index half = parts[k] / 2;
      bytes *= static_cast<double>(half) / static_cast<double>(parts[k]);
      parts[k] = half;
    }
  }
  return bytes > most ? Extents() : Extents(parts.data(), size.rank());
}

bool examine_longer(Visit& visit, const std::function<std::unique_ptr<Case>(const Extents&)>& make,
                    const MeasureOptions& measuring) {
  const auto is_of_memory = [](const Record& r) {
    return !r.in_cache && r.achieved && r.achieved->unit == "B/s";
  };
  if (!is_longer(visit) || !is_of_memory(*visit.record)) return false;
  const doctor::Facts& facts = visit.findings.facts;
  const double bytes = facts.least_read + facts.least_written;
  constexpr double share = 0.4; // of a part of the cache: all arrays, and what else is in it
  const Extents part =
      part_of(visit.size, bytes, share * facts.device.cache_bytes / facts.device.cache_parts);
  if (part.rank() == 0) return false;
  double cached = 0;
  try {
    const auto small = make(part);
    if (!fills(small->menu().predict(visit.schedule.text).facts)) return false;
    const Program program = small->bind(visit.schedule);
    program.run();
    cached = measure(
                 small->queue(), [&] { program.run(); }, measuring)
                 .median.value;
  } catch (const Error&) { // a size or a schedule that this kernel does not take
    return false;
  }
  cached -= facts.launches * facts.launch_share * facts.device.launch_seconds;
  cached *= static_cast<double>(visit.size.count()) / static_cast<double>(part.count());
  Record& record = *visit.record;
  record.details.push_back({doctor::modelled_detail, visit.findings.time.seconds.value, {}});
  record.details.push_back({doctor::cached_detail, std::max(0.0, cached), {}});
  add_recorded(visit);
  return true;
}

void add_counts(Visit& visit, const doctor::Foreign& counted) {
  if (!is_longer(visit) || counted.kernels.empty()) return;
  const doctor::ForeignKernel& kernel = counted.kernels.front();
  const doctor::LaunchCounts& c = kernel.counts;
  if (!c.issue_busy || !c.memory_busy) return;
  const doctor::Busy b = doctor::busy_of(c);
  const double arithmetic = std::max({b.issue, b.fp64, b.fp32, b.integer, b.special, b.tensor});
  const double memory = std::max({b.memory, b.cache, b.unit_cache, b.shared, b.atomics});
  auto& details = visit.record->details;
  details.push_back({doctor::modelled_detail, visit.findings.time.seconds.value, {}});
  details.push_back({doctor::arithmetic_detail, arithmetic, {}});
  details.push_back({doctor::memory_detail, memory, {}});
  details.push_back({doctor::instructions_detail,
                     c.thread_instructions.value_or(0) / static_cast<double>(visit.size.count()),
                     {}});
  std::string causes;
  for (const doctor::ForeignDiagnosis& d : doctor::diagnose_kernel(counted, kernel, 0)) {
    if (d.missing.empty())
      causes += fmt::format("{}{} ({:.2f})", causes.empty() ? "" : ", ", d.cause->name, d.gain);
  }
  if (!causes.empty()) details.push_back({doctor::counted_causes_detail, 0, causes});
  add_recorded(visit);
}

} // namespace ridge::lab
