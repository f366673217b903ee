// A timeline as kernels by their share of time, and the time between them by what the host did.
#include <ridge/doctor/foreign/timeline.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>

namespace ridge::doctor {

namespace {

struct Interval {
  std::uint64_t start, end; // nanoseconds
};
using Intervals = std::vector<Interval>;

/// Sorted, without overlaps.
Intervals merged(Intervals all) {
  std::sort(all.begin(), all.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Intervals whole;
  for (const Interval& one : all) {
    if (!whole.empty() && one.start <= whole.back().end)
      whole.back().end = std::max(whole.back().end, one.end);
    else
      whole.push_back(one);
  }
  return whole;
}

double seconds(const Intervals& all) {
  double sum = 0;
  for (const Interval& one : all)
    sum += static_cast<double>(one.end - one.start) * 1e-9;
  return sum;
}

/// The rest of `from` without `what`; both merged.
Intervals without(const Intervals& from, const Intervals& what) {
  Intervals left;
  std::size_t at = 0;
  for (Interval one : from) {
    while (at < what.size() && what[at].end <= one.start)
      ++at;
    for (std::size_t i = at; i < what.size() && what[i].start < one.end; ++i) {
      if (what[i].start > one.start) left.push_back({one.start, what[i].start});
      one.start = std::max(one.start, std::min(what[i].end, one.end));
    }
    if (one.start < one.end) left.push_back(one);
  }
  return left;
}

/// A line's fields; the last one, a name, keeps what follows.
std::vector<std::string_view> fields_of(std::string_view text, std::size_t most) {
  std::vector<std::string_view> fields;
  while (fields.size() + 1 < most && text.find('\t') != std::string_view::npos) {
    fields.push_back(text.substr(0, text.find('\t')));
    text.remove_prefix(text.find('\t') + 1);
  }
  fields.push_back(text);
  return fields;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

enum class Call { waiting, allocating, launching, loading, other };
/// The purpose of a call of CUDA, by its name: "cudaMalloc_v3020", "cuLaunchKernelEx".
Call call_of(std::string_view name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string_view::npos; };
  if (has("ModuleLoad") || has("LibraryLoad") || has("LinkComplete") || has("FuncGetAttributes"))
    return Call::loading;
  if (has("Alloc") || has("Free")) return Call::allocating;
  if (has("Synchronize") || has("cudaMemcpy") || has("cuMemcpy")) return Call::waiting;
  if (has("Launch")) return Call::launching;
  return Call::other;
}
bool is_wait(std::string_view name) {
  const bool copy = name.find("emcpy") != std::string_view::npos;
  return name.find("Synchronize") != std::string_view::npos ||
         (copy && name.find("Async") == std::string_view::npos);
}

/// What CUPTI takes for a kernel or a copy, and for a call, at most: 20,000 launches of two calls
/// each took 0.1 to 0.15 s more on an H200, its start among them.
constexpr double work_seconds = 4e-6, call_seconds = 0.5e-6;

class Timeline {
public:
  void take(std::string_view line) {
    if (line.size() < 3 || line[1] != '\t') return;
    const std::string_view rest = line.substr(2);
    run_.record_seconds += line[0] == 'A' ? call_seconds : work_seconds;
    switch (line[0]) {
    case 'K':
      return take_kernel(fields_of(rest, 13));
    case 'C':
      return take_copy(fields_of(rest, 6));
    case 'S': {
      const auto f = fields_of(rest, 2);
      if (f.size() == 2) copies_.push_back({number(f[0]), number(f[1])});
      return;
    }
    case 'A':
      return take_call(fields_of(rest, 3));
    case 'M':
      run_.device_bytes = std::max(run_.device_bytes, static_cast<double>(number(rest)));
      return;
    case 'L':
      run_.notes.push_back(
          fmt::format("{} calls of CUDA were left out of the timeline", number(rest)));
      run_.record_seconds += call_seconds * static_cast<double>(number(rest));
      return;
    default:
      return;
    }
  }

  [[nodiscard]] Foreign whole() {
    Foreign all;
    for (auto& [name, kernel] : kernels_)
      all.kernels.push_back(std::move(kernel));
    std::stable_sort(
        all.kernels.begin(), all.kernels.end(),
        [](const ForeignKernel& a, const ForeignKernel& b) { return a.seconds > b.seconds; });
    account();
    all.run = run_;
    return all;
  }

private:
  void take_kernel(const std::vector<std::string_view>& f) {
    if (f.size() != 13) return;
    const Interval when{number(f[0]), number(f[1])};
    if (when.start == 0 || when.end < when.start) return;
    busy_.push_back(when);
    ForeignKernel& k = kernels_[std::string(f[12])];
    if (k.launches == 0) {
      k.raw_name = std::string(f[12]);
      k.name = readable_name(k.raw_name);
      run_.device = fmt::format("cuda:{}", f[2]);
    }
    const double time = static_cast<double>(when.end - when.start) * 1e-9;
    k.shortest = k.launches > 0 ? std::min(k.shortest, time) : time;
    k.launches += 1;
    k.seconds += time;
    k.shape = fmt::format("({},{},{}) x ({},{},{})", f[4], f[5], f[6], f[7], f[8], f[9]);
    const auto product = [&](std::size_t at) {
      return static_cast<double>(number(f[at]) * number(f[at + 1]) * number(f[at + 2]));
    };
    k.counts.blocks = product(4);
    k.counts.block_threads = product(7);
    k.counts.registers = static_cast<double>(number(f[10]));
    k.counts.shared_bytes = static_cast<double>(number(f[11]));
  }

  void take_copy(const std::vector<std::string_view>& f) {
    if (f.size() != 6) return;
    const Interval when{number(f[0]), number(f[1])};
    if (when.end < when.start) return;
    copies_.push_back(when);
    const double bytes = static_cast<double>(number(f[5]));
    constexpr std::string_view pageable = "1";
    run_.copies += 1;
    run_.copied_bytes += bytes;
    if (f[3] == pageable || f[4] == pageable) run_.pageable_bytes += bytes;
    run_.copy_seconds += static_cast<double>(when.end - when.start) * 1e-9;
  }

  void take_call(const std::vector<std::string_view>& f) {
    if (f.size() != 3) return;
    const Interval when{number(f[0]), number(f[1])};
    const Call call = call_of(f[2]);
    if (call == Call::other || when.end < when.start) return;
    calls_[call].push_back(when);
    run_.waits += is_wait(f[2]);
    run_.launches += call == Call::launching;
    run_.allocations += call == Call::allocating;
  }

  void account() {
    const Intervals kernels = merged(busy_), copies = without(merged(copies_), kernels);
    Intervals both = kernels;
    both.insert(both.end(), copies.begin(), copies.end());
    both = merged(std::move(both));
    if (both.empty()) return;
    const Intervals span{{both.front().start, both.back().end}};
    run_.span = seconds(span);
    run_.busy = seconds(kernels);
    run_.copying = seconds(copies);
    Intervals idle = without(span, both);
    run_.idle = seconds(idle);
    const auto take = [&](Call call, double& sum) {
      const double before = seconds(idle);
      idle = without(idle, merged(std::move(calls_[call])));
      sum = before - seconds(idle);
    };
    take(Call::loading, run_.loading);
    take(Call::allocating, run_.allocating);
    take(Call::waiting, run_.waiting);
    take(Call::launching, run_.launching);
    run_.outside = seconds(idle);
  }

  std::map<std::string, ForeignKernel> kernels_;
  Intervals busy_, copies_;
  std::map<Call, Intervals> calls_;
  ForeignRun run_;
};

} // namespace

Foreign read_timeline(std::string_view text) {
  Timeline timeline;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break; // cut off
    timeline.take(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return timeline.whole();
}

} // namespace ridge::doctor
