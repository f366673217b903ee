#include <ridge/core/error.hpp>
#include <ridge/doctor/beyond.hpp>
#include <ridge/lab/bench_case.hpp>
#include <ridge/lab/longer.hpp>
#include <ridge/record/measure.hpp>

#include <algorithm>

namespace ridge::lab {

namespace {

/// Much longer than modelled, of a launch that memory limits, with no other work on the cores.
bool is_longer(const Visit& visit) {
  if (!visit.record || !visit.record->timing || !visit.findings.is_modelled()) return false;
  const Record& record = *visit.record;
  const auto is_busy = [](const Detail& d) { return d.name == busy_detail; };
  return !record.in_cache && record.achieved && record.achieved->unit == "B/s" &&
         record.timing->median.value > doctor::much_longer * visit.findings.time.seconds.value &&
         std::none_of(record.details.begin(), record.details.end(), is_busy);
}

} // namespace

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

void examine_longer(Visit& visit, const std::function<std::unique_ptr<Case>(const Extents&)>& make,
                    const MeasureOptions& measuring) {
  if (!is_longer(visit)) return;
  const doctor::Facts& facts = visit.findings.facts;
  const double bytes = facts.least_read + facts.least_written;
  constexpr double share = 0.4; // of a part of the cache: all arrays, and what else is in it
  const Extents part =
      part_of(visit.size, bytes, share * facts.device.cache_bytes / facts.device.cache_parts);
  if (part.rank() == 0) return;
  double cached = 0;
  try {
    const auto small = make(part);
    const Program program = small->bind(visit.schedule);
    program.run();
    cached = measure(small->queue(), [&] { program.run(); }, measuring).median.value;
  } catch (const Error&) { // a size or a schedule that this kernel does not take
    return;
  }
  cached -= facts.launches * facts.launch_share * facts.device.launch_seconds;
  cached *= static_cast<double>(visit.size.count()) / static_cast<double>(part.count());
  Record& record = *visit.record;
  record.details.push_back({doctor::modelled_detail, visit.findings.time.seconds.value, {}});
  record.details.push_back({doctor::cached_detail, std::max(0.0, cached), {}});
  auto& all = visit.findings.diagnoses;
  for (doctor::Diagnosis& d : doctor::diagnose(record, {}))
    all.push_back(std::move(d));
  std::stable_sort(all.begin(), all.end(),
                   [](const doctor::Diagnosis& a, const doctor::Diagnosis& b) {
                     return a.predicted_gain > b.predicted_gain;
                   });
}

} // namespace ridge::lab
