// Twins of what a program does around its kernels: launches, copies, allocations; and of its
// clocks.
#pragma once

#include <ridge/doctor/foreign/cause.hpp>

namespace ridge::app {

/// For each cause of the program that such a twin can show: times on the GPU that is here what the
/// timeline had, and the same as it would be without the cause. A twin that cannot run says why.
void run_program_twins(doctor::Foreign& all);

/// The clock that the card has with one warp at work after a rest, beside that of the launch.
[[nodiscard]] doctor::TwinRun clock_twin(const std::string& device, std::string_view cause,
                                         double clock_hz);

} // namespace ridge::app
