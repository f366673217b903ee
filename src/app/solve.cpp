#include "commands.hpp"

namespace ridge::app {

void add_solve(CommandLine& line) {
  const Command command =
      line.add_command("solve", "solve an equation: of a field on a grid, or of lattice fermions");
  add_solve_poisson(command);
  add_solve_wilson(command);
  add_solve_domain_wall(command);
  add_solve_staggered(command);
}

} // namespace ridge::app
