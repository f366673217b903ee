#include <ridge/core/error.hpp>
#include <ridge/lab/stencil_case.hpp>

#include "asked_schedules.hpp"

#include <fmt/format.h>

namespace ridge::lab {

std::vector<AskedSchedule> stencil_schedules(const std::string& asked, const Device& device,
                                             const stencil::Traits& traits, Index3 n,
                                             const stencil::Strides& strides) {
  return asked_schedules(
      asked,
      [&](const std::string& text) {
        return stencil::parse_schedule(text, device, traits, n, strides);
      },
      [&] { return stencil::named_schedules(device); },
      [&] { return stencil::schedule_space(device, traits); },
      [](const stencil::Schedule& s) { return stencil::to_text(s); });
}

void refuse_precision(const BenchRequest& request, const std::string& name,
                      const std::string& known) {
  throw UsageError(
      fmt::format("unknown precision '{}'; {} has {}", request.precision, name, known));
}

} // namespace ridge::lab
