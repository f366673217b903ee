#include "../causes.hpp"

namespace ridge::doctor {

namespace {

Facts without_starts(Facts f) {
  f.dispatched = 1;
  return f;
}

} // namespace

Cause short_blocks() {
  Cause c;
  c.name = "short-blocks";
  c.title = "blocks are so short that starting them, one behind the other, takes longer than they";
  c.unit = "times as long as if blocks started at once";
  c.threshold = 1.1;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    if (!f.device.is_gpu()) return {};
    return time_of(f).seconds.value / time_of(without_starts(f)).seconds.value;
  };
  c.healed = &without_starts;
  c.action = "give a block more items: more threads, or more items a thread";
  c.background =
      "A GPU hands blocks to its units one after the other, on a whole H200 one in 1.2 cycles: 8.4 "
      "million blocks of 16 threads took 5.5 ms, whatever they did. A block must have work for "
      "longer than its share of that, which is 1.2 cycles times the blocks that are there at once.";
  c.source = "docs/results/h200/lattice-norm2-real-fp64.json: staged2";
  return c;
}

} // namespace ridge::doctor
