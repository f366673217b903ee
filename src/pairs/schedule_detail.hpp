// The best schedule of each form, for names and the default.
#pragma once

#include <ridge/pairs/schedule.hpp>

namespace ridge::pairs::detail {

[[nodiscard]] GpuSchedule direct_for(const Device& device, const Traits& traits,
                                     const Bodies& bodies);
[[nodiscard]] GpuSchedule symmetric_for(const Device& device, const Traits& traits,
                                        const Bodies& bodies);

} // namespace ridge::pairs::detail
