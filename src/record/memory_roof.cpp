#include <ridge/record/memory_roof.hpp>

#include "roof_ways.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ridge {

MemoryRoof::MemoryRoof(Queue& queue, Kind kind, Bytes size, void* to, const void* a, const void* b)
    : queue_(queue), kind_(kind), to_(static_cast<double*>(to), size.value / 8),
      a_(static_cast<const double*>(a), size.value / 8),
      b_(static_cast<const double*>(b), size.value / 8) {
  const std::vector<RoofVariant> ways =
      memory_variants(queue.device().is_gpu(), kind != Kind::read);
  Index sums = 0;
  for (const RoofVariant& way : ways)
    sums = std::max(sums, roof_kernels(queue.device()).sums(queue.device(), a_.size, way));
  if (kind == Kind::read) sums_ = Memory(queue.device(), Bytes{sums * 8}, "roof sums");
  // A glance at each, then another look at those that came near the best.
  std::vector<double> glances;
  for (const RoofVariant& way : ways)
    glances.push_back(seconds_of(way, 1));
  const double near = 1.1 * *std::min_element(glances.begin(), glances.end());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (glances[i] > near) continue;
    const double seconds = seconds_of(ways[i], 3);
    if (seconds < least) {
      least = seconds;
      best_ = ways[i];
    }
  }
}

const char* MemoryRoof::name() const {
  return kind_ == Kind::read ? "read" : kind_ == Kind::copy ? "copy" : "triad";
}

void MemoryRoof::launch(const RoofVariant& way) {
  const RoofKernels& kernels = roof_kernels(queue_.device());
  switch (kind_) {
  case Kind::read:
    return kernels.read(queue_, {static_cast<double*>(sums_.data()), sums_.size().value / 8}, a_,
                        way);
  case Kind::copy:
    return kernels.copy(queue_, to_, a_, way);
  case Kind::triad:
    return kernels.triad(queue_, to_, a_, b_, 0.5, way);
  }
}

double MemoryRoof::seconds_of(const RoofVariant& way, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    Event begin(queue_.device());
    Event end(queue_.device());
    begin.record(queue_);
    launch(way);
    end.record(queue_);
    times.push_back(begin.until(end).value);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double MemoryRoof::rate() {
  const double blocks = kind_ == Kind::read ? 1 : kind_ == Kind::copy ? 2 : 3;
  return blocks * 8 * static_cast<double>(a_.size) / seconds_of(best_, 3);
}

Beside measure_beside(MemoryRoof& roof, const std::function<Timing()>& time) {
  constexpr int most_attempts = 4;
  constexpr double steady = 0.1;
  Beside result;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const double before = roof.rate();
    result.timing = time();
    const double after = roof.rate();
    result.roof = (before + after) / 2;
    if (std::abs(before - after) < steady * result.roof) break;
  }
  return result;
}

} // namespace ridge
