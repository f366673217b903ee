// The commands of `ridge gauge`, and the options they share.
#pragma once

#include "gauge_input.hpp"
#include "options.hpp"

namespace ridge::app {

/// --precision, --order and --rows of an output.
void add_form_options(const Command& command, FormOptions* form);

/// --ranks of a command that several ranks run.
void add_rank_grid(const Command& command, std::string* grid);

/// --configuration of a command that reads one.
void add_configuration(const Command& command, int* number);

/// The commands that have files of their own.
void add_heatbath(const Command& gauge);
void add_smear(const Command& gauge);

} // namespace ridge::app
