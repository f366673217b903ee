// The subcommands of `ridge`: each adds its options to the command line and what to do with them.
#pragma once

#include <CLI/CLI.hpp>

namespace ridge::app {

void add_devices(CLI::App& app);
void add_roof(CLI::App& app);
void add_model(CLI::App& app);
void add_bench(CLI::App& app);
void add_apply(CLI::App& app);
void add_nbody(CLI::App& app);
void add_lab(CLI::App& app);
void add_atmosphere(CLI::App& app);

} // namespace ridge::app
