// The subcommands of `ridge`: each adds its options to the command line and what to do with them.
#pragma once

#include "options.hpp"

namespace ridge::app {

void add_devices(CommandLine& line);
void add_roof(CommandLine& line);
void add_model(CommandLine& line);
void add_doctor(CommandLine& line);
void add_count(CommandLine& line);
void add_bench(CommandLine& line);
void add_schedules(CommandLine& line);
void add_apply(CommandLine& line);
void add_evolve(CommandLine& line);
void add_solve(CommandLine& line);
void add_nbody(CommandLine& line);
void add_md(CommandLine& line);
void add_lab(CommandLine& line);
void add_tune(CommandLine& line);
void add_atmosphere(CommandLine& line);
void add_report(CommandLine& line);
void add_gauge(CommandLine& line);
void add_compare(CommandLine& line);

} // namespace ridge::app
