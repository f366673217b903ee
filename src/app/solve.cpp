#include "commands.hpp"

namespace ridge::app {

void add_solve(CommandLine& line) {
  line.add_extended("solve", "solve an equation");
  line.extend("solve", 0, "of a field on a grid", add_solve_poisson);
}

} // namespace ridge::app
