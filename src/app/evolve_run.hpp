// A run of `ridge evolve` with a stencil, from the first step to the last.
#pragma once

#include <ridge/comm/communicator.hpp>

#include "evolve_setup.hpp"

namespace ridge::app {

/// Takes the steps, writes the snapshots and the picture, and prints the record. Collective.
/// Throws UsageError for what the device or the schedule cannot take, and Failure where a file
/// cannot be written or the run is interrupted: the last snapshot then leads to where it goes on.
void evolve_stencil(const EvolveOptions& options, EvolveSetup setup, comm::Communicator& ranks);

} // namespace ridge::app
