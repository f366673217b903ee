#include "../causes.hpp"

#include <algorithm>

namespace ridge::doctor {

namespace {

/// Bytes that must be under way so that memory is never idle: bandwidth times latency.
double needed(const Facts& f) {
  return f.device.copy_bytes_per_second * f.device.memory_latency_cycles / f.device.clock_hz;
}

} // namespace

Cause too_few_bytes_in_flight() {
  Cause c;
  c.name = "too-few-bytes-in-flight";
  c.title = "too little is asked of memory at once to hide its latency";
  c.unit = "of bandwidth times latency is under way";
  c.threshold = 1.0;
  c.above = false;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (f.device.copy_bytes_per_second <= 0) return {};
    if (!f.device.is_gpu()) {
      if (f.core_bytes_per_second <= 0) return {};
      return f.resident * f.filled() * f.core_bytes_per_second / f.device.copy_bytes_per_second;
    }
    if (f.thread_bytes <= 0) return {};
    return f.active() * f.block_threads * f.thread_bytes / needed(f);
  };
  c.healed = [](Facts f) {
    f.thread_bytes *= std::max(1.0, needed(f) / (f.active() * f.block_threads * f.thread_bytes));
    f.core_bytes_per_second = 0;
    f.latency_cycles = 0;
    return f;
  };
  c.action = "give each thread several independent loads, or run more threads";
  c.background =
      "Memory answers after some hundred cycles. To keep it busy, bandwidth times latency must be "
      "under way at any time: 0.6 MB on one GCD of an MI250X, 1.6 MB on an H200. Threads times "
      "the bytes that each asks for before it waits must reach that: 512 threads a multiprocessor "
      "are a least, several independent loads a thread take the place of threads.";
  c.source = "Portability wiki: how GPUs hide latency; AMD lab notes, Laplacian, part 2: several "
             "points a thread";
  return c;
}

} // namespace ridge::doctor
