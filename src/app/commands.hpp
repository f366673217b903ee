// The subcommands of `ridge`: each adds its options to the command line and what to do with them.
#pragma once

#include "options.hpp"

namespace ridge::app {

void add_devices(CommandLine& line);
void add_roof(CommandLine& line);
void add_model(CommandLine& line);
/// `program`: the words behind `--`, of a program that is not Ridge's.
void add_doctor(CommandLine& line, std::optional<std::vector<std::string>> program);
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
/// Those of the wings that this build has.
void add_wings(CommandLine& line);
void add_report(CommandLine& line);
void add_gauge(CommandLine& line);
void add_compare(CommandLine& line);

/// Those of `ridge solve`.
void add_solve_poisson(const Command& solve);
void add_solve_wilson(const Command& solve);
void add_solve_domain_wall(const Command& solve);
void add_solve_staggered(const Command& solve);
/// Those of `ridge gauge` that have files of their own.
void add_heatbath(const Command& gauge);
void add_hmc(const Command& gauge);
void add_smear(const Command& gauge);
void add_observables(const Command& gauge);

} // namespace ridge::app
