#include "commands.hpp"

namespace ridge::app {

void add_solve(CommandLine& line) {
  const Command command = line.add_command("solve", "solve an equation of a field on a grid");
  add_solve_poisson(command);
}

} // namespace ridge::app
