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

void refuse_precision(std::string_view precision, std::string_view name, std::string_view known) {
  throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name, known));
}

Extents default_stencil_size(int rank) {
  return rank == 3   ? Extents{512, 512, 512}
         : rank == 2 ? Extents{16384, 8192}
                     : Extents{Index{1} << 27};
}

} // namespace ridge::lab
