// Commands of the wing that have files of their own.
#pragma once

#include "app/options.hpp"

namespace ridge::app {

/// Those of `ridge gauge`.
void add_gauge(CommandLine& line);
void add_heatbath(const Command& gauge);
void add_hmc(const Command& gauge);
void add_smear(const Command& gauge);
void add_observables(const Command& gauge);
/// Those of `ridge solve`.
void add_solve_wilson(const Command& solve);
void add_solve_domain_wall(const Command& solve);
void add_solve_staggered(const Command& solve);

} // namespace ridge::app
