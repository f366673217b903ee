#include "../causes.hpp"

#include <algorithm>

namespace ridge::doctor {

namespace {

double launches(const Facts& f) {
  return f.launches * f.launch_share;
}

} // namespace

Cause launch_overhead() {
  Cause c;
  c.name = "launch-overhead";
  c.title = "launches are so short that starting them takes a good part of the time";
  c.unit = "of the time goes to starting launches";
  c.threshold = 0.25;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    // Where a run takes longer than modelled, launches are the smaller a share of it.
    const double seconds = std::max(time_of(f).seconds.value, f.measured_seconds);
    return launches(f) * f.device.launch_seconds / seconds;
  };
  // What is left is a share of a shorter time, and so no measure of the cure.
  c.cures = [](const Facts& sick, const Facts& changed) {
    return launches(changed) <= launches(sick) / 2;
  };
  c.healed = [](Facts f) {
    f.launch_share = f.launches > 1 ? 1 / f.launches : graph_share; // one launch for all
    return f;
  };
  c.action = "do more in a launch: more items, several steps, or several operations as one graph";
  c.background =
      "A GPU takes some microseconds to begin a launch, and a kernel that lasts less is all "
      "overhead: about 5 us are the least that is worth one. Splitting operations into many small "
      "launches saves registers and pays with launches; joined ones, or a graph that is launched "
      "whole, pay once.";
  c.source = "Portability wiki: kernel sizes, launch overheads of small kernels from fissioning";
  return c;
}

} // namespace ridge::doctor
