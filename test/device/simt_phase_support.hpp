// One phase barrier and a few numbers in shared memory, for tests.
#pragma once

#include "simt_support.hpp"

namespace ridge::simt_test {

/// A body for `one_block`: begins a phase barrier at byte 0, which `arrivals` threads are to arrive
/// at, then does f(lane, barriers, numbers), with 64 numbers at byte 64.
template <class F>
auto at_barrier(int arrivals, F f) {
  return [=](const auto& lane) {
    auto bars = lane.template shared<PhaseBarrier>(0, 1);
    auto s = lane.template shared<double>(64, 64);
    if (lane.rank() == 0) lane.phase_begin(bars, 0, arrivals);
    lane.barrier();
    f(lane, bars, s);
  };
}
inline const LaunchShape one_block{{1, 1, 1}, {70, 1, 1}, 64 + 512};

} // namespace ridge::simt_test
