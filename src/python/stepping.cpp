#include "stepping.hpp"

#include <ridge/device/cpu/pause.hpp>

#include "interrupt.hpp"

#include <algorithm>

namespace ridge::python {

void take_steps(std::atomic<Index>& done, Index steps, const std::function<double(Index)>& take) {
  constexpr double response = 0.2; // seconds that Ctrl-C may take
  for (Index batch = 1; done < steps;) {
    const Index now = std::min<Index>(batch, steps - done);
    double took = 0;
    {
      const cpu::ToTheEnd no_half_steps; // arrays hold the state after `done` steps
      took = take(now);
    }
    done += now;
    if (took < response / 2) batch *= 2;
    if (took > response) batch = std::max<Index>(1, batch / 2);
    check_interrupt();
  }
}

void add_steps(Record& record, Seconds launch, Index steps) {
  if (launch.value > 0) {
    record.timing = Timing{launch, launch, launch, 1};
    const auto bytes = static_cast<double>(record.work.read.value + record.work.written.value);
    record.achieved = Achievement{bytes / launch.value, "B/s", 0, ""};
  }
  record.details.push_back({"steps", static_cast<double>(steps), ""});
}

} // namespace ridge::python
