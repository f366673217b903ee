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
void add_lab(CommandLine& line);
void add_tune(CommandLine& line);
/// Those of the wings that this build has.
void add_wings(CommandLine& line);
void add_report(CommandLine& line);
void add_compare(CommandLine& line);

} // namespace ridge::app
