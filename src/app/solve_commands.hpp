// The equations of `ridge solve`.
#pragma once

#include "options.hpp"

namespace ridge::app {

void add_solve_poisson(const Command& solve);
void add_solve_wilson(const Command& solve);
void add_solve_domain_wall(const Command& solve);
void add_solve_staggered(const Command& solve);

} // namespace ridge::app
