// Ceilings of arithmetic and of launching.
#include <ridge/device/field.hpp>
#include <ridge/device/kind.hpp>

#include "roof_session.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace ridge {

namespace {

/// So many that loading and storing the values does not count.
int rounds_of(DeviceKind kind) {
  return facts_of(kind).takes_gpu_schedules ? 1 << 15 : 1 << 20;
}

/// Values on the device before and after the steps of a compute kernel.
template <class T>
class Values {
public:
  explicit Values(RoofSession& session)
      : from_(session.device(), {session.kernels().values_at_once(session.device())}, "roof"),
        to_(session.device(), {from_.count()}, "roof") {
    std::vector<T> start(static_cast<std::size_t>(from_.count()));
    for (std::size_t i = 0; i < start.size(); ++i)
      start[i] = static_cast<T>(1 + static_cast<double>(i % 1000) / 1000);
    copy_to_device(session.queue(), from_.data(), start.data(), from_.count());
    session.queue().wait();
  }
  [[nodiscard]] Index count() const { return from_.count(); }
  [[nodiscard]] Span<const T> from() const { return {from_.data(), count()}; }
  [[nodiscard]] Span<T> to() const { return to_.elements(); }

private:
  Field<T> from_, to_;
};

void add_rate(RoofSession& session, const char* name, const char* unit, Index values,
              int operations, const char* step, const std::function<void()>& launch) {
  const int rounds = rounds_of(session.device().kind());
  const Seconds seconds = session.time(launch);
  const double all =
      static_cast<double>(values) * static_cast<double>(rounds) * static_cast<double>(operations);
  session.add({name, all / seconds.value, unit,
               fmt::format("{} independent values through {} steps {}, {} a step", values, rounds,
                           step, operations == 1 ? "one operation" : "two operations")});
}

template <class T, class Kernel>
void measure_fma(RoofSession& session, const char* name, Kernel kernel) {
  if (!session.wants(name)) return;
  session.announce(name);
  const Values<T> values(session);
  const int rounds = rounds_of(session.device().kind());
  // Tends to 1: no overflow, no subnormal numbers, however many steps.
  const T a = T(0.999), b = T(0.001);
  add_rate(session, name, "flop/s", values.count(), 2, "x * a + b",
           [&] { kernel(session.queue(), values.to(), values.from(), a, b, rounds); });
}

} // namespace

void measure_compute(RoofSession& session) {
  const RoofKernels& kernels = session.kernels();
  measure_fma<float>(session, "fma_fp32", kernels.fma_fp32);
  measure_fma<double>(session, "fma_fp64", kernels.fma_fp64);
  if (session.wants("rsqrt_fp32")) {
    session.announce("rsqrt_fp32");
    const Values<float> values(session);
    const int rounds = rounds_of(session.device().kind());
    add_rate(session, "rsqrt_fp32", "op/s", values.count(), 1, "approximate_rsqrt(x)",
             [&] { kernels.rsqrt_fp32(session.queue(), values.to(), values.from(), rounds); });
  }
  if (session.wants("launch")) {
    session.announce("launch");
    const Seconds seconds = session.time([&] { kernels.empty(session.queue()); });
    session.add({"launch", seconds.value, "s",
                 session.device().is_gpu() ? "empty kernels in one queue, one after the other"
                                           : "empty work for all threads, begin to end"});
  }
}

} // namespace ridge
