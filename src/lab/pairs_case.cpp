#include <ridge/lab/pairs_case.hpp>
#include <ridge/pairs/rsqrt_steps.hpp>

#include "asked_schedules.hpp"

namespace ridge::lab {

std::vector<AskedSchedule> pairs_schedules(const std::string& asked, const Device& device,
                                           const pairs::Traits& traits,
                                           const pairs::Bodies& bodies) {
  return asked_schedules(
      asked,
      [&](const std::string& text) { return pairs::parse_schedule(text, device, traits, bodies); },
      [&] { return pairs::named_schedules(device, traits, bodies); },
      [&] { return pairs::schedule_space(device, traits, bodies); },
      [](const pairs::Schedule& s) { return pairs::to_text(s); });
}

Limit pairs_limit(const Device& device, const pairs::Traits& traits, const pairs::Bodies& bodies,
                  RoofSource& roof) {
  const bool single = traits.computed_bytes == 4;
  const Ceiling* const fma = roof.find(single ? "fma_fp32" : "fma_fp64");
  const double fma_rate = fma != nullptr ? fma->value : 0;
  const Ceiling* const rsqrt = single ? roof.find("rsqrt_fp32") : nullptr;
  return {"issue", "interactions/s", static_cast<double>(pairs::work_of(traits, bodies).items),
          pairs::issue_limit(traits, pairs::rsqrt_steps(device, traits), fma_rate,
                             rsqrt != nullptr ? rsqrt->value : 0)};
}

} // namespace ridge::lab
