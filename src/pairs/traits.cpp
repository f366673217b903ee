#include <ridge/device/offer.hpp>
#include <ridge/pairs/rsqrt_steps.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::pairs {

Work work_of(const Traits& traits, const Bodies& bodies) {
  Work work;
  work.items = bodies.targets * bodies.sources - (bodies.same ? bodies.targets : 0);
  const Index targets = bodies.same ? 0 : bodies.targets;
  work.read = {(bodies.sources * traits.sources + targets * traits.targets) * traits.stored_bytes};
  work.written = {bodies.targets * traits.sums * traits.summed_bytes};
  work.flops = traits.flops * static_cast<double>(work.items);
  work.convention =
      fmt::format("{}, {}", operations_text(traits.flops, "operations an interaction"),
                  bodies.same ? "n (n - 1) interactions" : "targets x sources interactions");
  return work;
}

int rsqrt_steps(const Device& device, const Traits& traits) {
  return offered<RsqrtSteps>(device.kind(), typeid(RsqrtSteps))(traits.grade,
                                                                traits.computed_bytes);
}

double issue_limit(const Traits& traits, int rsqrt_steps, double fma_rate, double rsqrt_rate) {
  if (traits.operations <= 0 || fma_rate <= 0) return 0;
  const double slots = traits.operations + traits.rsqrts * (1 + static_cast<double>(rsqrt_steps));
  const double by_slots = fma_rate / 2 / slots;
  if (traits.rsqrts <= 0 || rsqrt_rate <= 0) return by_slots;
  return std::min(by_slots, rsqrt_rate / traits.rsqrts);
}

} // namespace ridge::pairs
