#include "commands.hpp"
#include "solve_commands.hpp"

namespace ridge::app {

void add_solve(CommandLine& line) {
  const Command command = line.add_command("solve", "solve an equation for a field of yours");
  add_solve_poisson(command);
}

} // namespace ridge::app
