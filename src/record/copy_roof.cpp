#include <ridge/record/copy_roof.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ridge {

CopyRoof::CopyRoof(Queue& queue, void* to, const void* from, Bytes size)
    : queue_(queue), to_(static_cast<double*>(to), size.value / 8),
      from_(static_cast<const double*>(from), size.value / 8) {
  double least = std::numeric_limits<double>::infinity();
  for (const bool nontemporal : {true, false}) {
    for (const int unroll : {1, 4, 8}) {
      for (const int spread : {1, 2}) {
        const RoofVariant way{nontemporal, unroll, spread, 1};
        const double seconds = seconds_of(way, 2);
        if (seconds < least) {
          least = seconds;
          best_ = way;
        }
      }
    }
  }
}

double CopyRoof::seconds_of(const RoofVariant& way, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    Event begin(queue_.device());
    Event end(queue_.device());
    begin.record(queue_);
    roof_kernels(queue_.device()).copy(queue_, to_, from_, way);
    end.record(queue_);
    times.push_back(begin.until(end).value);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double CopyRoof::rate() {
  return 16.0 * static_cast<double>(to_.size) / seconds_of(best_, 3);
}

Beside measure_beside(CopyRoof& roof, const std::function<Timing()>& time) {
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
