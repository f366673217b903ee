#include "../causes.hpp"

namespace ridge::doctor {

namespace {

/// Bytes asked of the cache, in the time that memory takes for what it moves.
double requests(const Facts& f) {
  const double memory = f.moved() / f.device.copy_bytes_per_second;
  return f.asked / f.device.cache_bytes_per_second / memory;
}

} // namespace

Cause repeated_requests() {
  Cause c;
  c.name = "repeated-requests";
  c.title = "threads ask the last-level cache for the same data again and again";
  c.unit = "times as long as memory the last-level cache takes for what it is asked for";
  c.threshold = 1.1;
  c.evidence = [](const Facts& f) -> std::optional<double> {
    const bool known = f.device.copy_bytes_per_second > 0 && f.device.cache_bytes_per_second > 0;
    if (!f.device.is_gpu() || !known || f.asked <= 0 || f.moved() <= 0) return {};
    return requests(f);
  };
  c.healed = [](Facts f) {
    f.asked = f.moved();
    return f;
  };
  c.action = "keep neighbours in registers or shared memory: more points a thread, or a march";
  c.background =
      "A thread that computes one point asks for each of its neighbours by itself. What the cache "
      "of its unit no longer holds comes from the last-level cache, whose rate is a small multiple "
      "of the memory's: a wave of order 8 in space asks for several times what it must read, and "
      "reached 0.39 of its limit in fp64 and 0.29 in fp32 on an H200. Several points a thread "
      "share what they load, and a march brings each plane to a unit once.";
  c.source = "docs/decisions/0098";
  return c;
}

} // namespace ridge::doctor
