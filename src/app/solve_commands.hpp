// The equations of `ridge solve`.
#pragma once

#include "options.hpp"

namespace ridge::app {

void add_solve_poisson(const Command& solve);

} // namespace ridge::app
