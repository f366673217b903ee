#include <ridge/device/backend.hpp>
#include <ridge/record/memory_roof.hpp>

#include "roof_ways.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace ridge {

MemoryRoof::MemoryRoof(Queue& queue, Kind kind, Bytes size, void* to, const void* a, const void* b)
    : queue_(queue), kind_(kind), to_(static_cast<double*>(to), size.value / 8),
      a_(static_cast<const double*>(a), size.value / 8),
      b_(static_cast<const double*>(b), size.value / 8) {
  if (kind == Kind::read) {
    Index sums = 0;
    for (const RoofVariant& way : memory_variants(queue.device().is_gpu(), false))
      sums = std::max(sums, roof_kernels(queue.device()).sums(queue.device(), a_.size, way));
    sums_ = Memory(queue.device(), Bytes{sums * 8}, "roof sums");
  }
  // A glance at each, then another look at those that came near the best.
  const std::vector<Way> all = ways();
  std::vector<double> glances;
  for (const Way& way : all)
    glances.push_back(seconds_of(way, 1));
  const double near = 1.1 * *std::min_element(glances.begin(), glances.end());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (glances[i] > near) continue;
    const double seconds = seconds_of(all[i], 3);
    if (seconds < least) {
      least = seconds;
      best_ = all[i];
    }
  }
}

std::vector<MemoryRoof::Way> MemoryRoof::ways() const {
  const bool gpu = queue_.device().is_gpu();
  const auto variants = memory_variants(gpu, kind_ != Kind::read);
  std::vector<Way> all(variants.begin(), variants.end());
  if (gpu && kind_ == Kind::copy) all.emplace_back(); // as measure_roof does
  return all;
}

const char* MemoryRoof::name() const {
  return kind_ == Kind::read ? "read" : kind_ == Kind::copy ? "copy" : "triad";
}

void MemoryRoof::launch(const Way& chosen) {
  const RoofKernels& kernels = roof_kernels(queue_.device());
  if (!chosen) {
    queue_.device().backend().copy(queue_.native(), to_.data, a_.data,
                                   static_cast<std::size_t>(a_.size * 8), CopyDirection::on_device);
    return;
  }
  const RoofVariant& way = *chosen;
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

double MemoryRoof::seconds_of(const Way& way, int repeats) {
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

double MemoryRoof::bytes() const {
  const double blocks = kind_ == Kind::read ? 1 : kind_ == Kind::copy ? 2 : 3;
  return blocks * 8 * static_cast<double>(a_.size);
}

Beside measure_beside(Queue& queue, const std::function<void()>& launch, MemoryRoof& roof,
                      const MeasureOptions& options) {
  const InTurn turns = measure_in_turn(
      queue, launch, [&] { roof.launch(); }, options);
  const Estimate& q = turns.quotient;
  return {turns.first, roof.bytes() / (turns.first.median.value * q.value), q.low / q.value,
          q.high / q.value};
}

} // namespace ridge
