#include <ridge/report/compare.hpp>

#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace ridge::report {

namespace {

/// Texts in one, told apart by a character that is in none of them.
std::string joined(std::initializer_list<std::string> texts) {
  std::string all;
  for (const std::string& text : texts)
    all += text + '\0';
  return all;
}

/// What a launch is, but for its device and its schedule.
std::string task_of(const SavedRecord& r) {
  return joined({r.pattern, kernel_text(r), r.precision, size_text(r), std::to_string(r.ranks)});
}

std::string device_of(const SavedRecord& r) {
  return joined({device_kind(r.device), r.device_name});
}

/// By what two launches are the same; empty where this one lacks it.
using Key = std::string (*)(const SavedRecord&);

std::string by_schedule(const SavedRecord& r) {
  return task_of(r) + joined({r.schedule_name, r.schedule});
}
std::string by_schedule_name(const SavedRecord& r) {
  return r.schedule_name.empty() ? "" : task_of(r) + r.schedule_name;
}
std::string by_schedule_text(const SavedRecord& r) {
  return task_of(r) + r.schedule;
}
template <Key key>
std::string on_device(const SavedRecord& r) {
  const std::string rest = key(r);
  return rest.empty() ? "" : device_of(r) + rest;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::optional<double> median_of(const std::vector<const SavedRecord*>& records,
                                std::optional<double> SavedRecord::*field) {
  std::vector<double> values;
  for (const SavedRecord* const r : records)
    if (r->*field && *(r->*field) > 0) values.push_back(*(r->*field));
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

/// From the lowest to the highest of what the records have of three fields; nothing where all are
/// the same, as that is no interval.
std::optional<Interval> hull(const std::vector<const SavedRecord*>& records,
                             std::initializer_list<std::optional<double> SavedRecord::*> fields) {
  std::vector<double> values;
  for (const SavedRecord* const r : records) {
    for (const auto field : fields)
      if (r->*field && *(r->*field) > 0) values.push_back(*(r->*field));
  }
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low < *high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

Sample sample_of(const std::vector<const SavedRecord*>& records) {
  Sample s;
  s.record = *records.front();
  s.records = static_cast<int>(records.size());
  s.seconds = median_of(records, &SavedRecord::seconds);
  s.times =
      hull(records, {&SavedRecord::seconds_min, &SavedRecord::seconds, &SavedRecord::seconds_max});
  s.fraction = median_of(records, &SavedRecord::fraction);
  if (!s.record.in_cache) s.roof = median_of(records, &SavedRecord::roof);
  const bool in_turn = std::all_of(records.begin(), records.end(), [](const SavedRecord* r) {
    return r->fraction_low && r->fraction_high;
  });
  if (in_turn) {
    s.fractions = hull(
        records, {&SavedRecord::fraction_low, &SavedRecord::fraction, &SavedRecord::fraction_high});
  }
  s.failed = std::any_of(records.begin(), records.end(),
                         [](const SavedRecord* r) { return is_wrong(*r); });
  return s;
}

/// The samples of a file, in the order in which their launches first occur.
std::vector<Sample> samples_of(const Saved& file) {
  std::vector<std::vector<const SavedRecord*>> groups;
  std::unordered_map<std::string, std::size_t> known;
  for (const SavedRecord& r : file.records) {
    const auto [at, is_new] = known.try_emplace(on_device<by_schedule>(r), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&r);
  }
  std::vector<Sample> samples;
  samples.reserve(groups.size());
  for (const auto& group : groups)
    samples.push_back(sample_of(group));
  return samples;
}

/// Launches of two files and which belong together.
struct Pairing {
  std::vector<Sample> a, b;
  std::vector<std::optional<std::size_t>> partner; ///< in `b`, of each of `a`
  std::vector<bool> taken;                         ///< of each of `b`

  /// Gives each of `a` that has no partner the first free one of `b` with the same key.
  void pair_up(Key key) {
    std::unordered_map<std::string, std::vector<std::size_t>> free; // last first
    for (std::size_t j = b.size(); j-- > 0;)
      if (!taken[j]) free[key(b[j].record)].push_back(j);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::string wanted = key(a[i].record);
      const auto at = free.find(wanted);
      if (partner[i] || wanted.empty() || at == free.end() || at->second.empty()) continue;
      partner[i] = at->second.back();
      taken[at->second.back()] = true;
      at->second.pop_back();
    }
  }
};

Comparison without_partner(std::optional<Sample> a, std::optional<Sample> b,
                           const std::string& only) {
  return {std::move(a), std::move(b), Verdict::unclear, "only in " + only, std::nullopt, false};
}

Comparison paired(const Sample& a, const Sample& b, const Saved& file_a, const Saved& file_b) {
  if (device_of(a.record) != device_of(b.record)) {
    return {a,
            b,
            Verdict::unclear,
            fmt::format("other device: {} and {}", device_text(a.record), device_text(b.record)),
            std::nullopt,
            false};
  }
  Comparison c = judge(a, b, file_a.name, file_b.name);
  if (a.record.schedule != b.record.schedule) c.reason += "; the schedule's text changed";
  return c;
}

} // namespace

std::vector<Comparison> compare(const Saved& a, const Saved& b) {
  Pairing pairing{samples_of(a), samples_of(b), {}, {}};
  pairing.partner.resize(pairing.a.size());
  pairing.taken.resize(pairing.b.size());
  for (const Key key :
       {on_device<by_schedule>, on_device<by_schedule_name>, on_device<by_schedule_text>,
        by_schedule, by_schedule_name, by_schedule_text})
    pairing.pair_up(key);

  std::vector<Comparison> all;
  for (std::size_t i = 0; i < pairing.a.size(); ++i) {
    const auto at = pairing.partner[i];
    all.push_back(at ? paired(pairing.a[i], pairing.b[*at], a, b)
                     : without_partner(pairing.a[i], std::nullopt, a.name));
  }
  for (std::size_t j = 0; j < pairing.b.size(); ++j)
    if (!pairing.taken[j]) all.push_back(without_partner(std::nullopt, pairing.b[j], b.name));
  return all;
}

} // namespace ridge::report
