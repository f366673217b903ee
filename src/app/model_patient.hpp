// `ridge model` of lattices and chains, whose traffic is regular.
#pragma once

#include "kernel_options.hpp"

#include <string>

namespace ridge::app {

/// Prints what launches move on `on`, a device here or one that is described, under the schedules
/// that are asked for. Throws UsageError for patterns of which nobody knows that.
void print_patient_model(const KernelOptions& launch, const std::string& on, bool json);

} // namespace ridge::app
