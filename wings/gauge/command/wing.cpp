// The commands of lattice gauge theory.
#include "commands.hpp"

namespace ridge::wings {

void gauge(app::CommandLine& line);

void gauge(app::CommandLine& line) {
  app::add_gauge(line);
  line.extend("solve", 1, "of lattice fermions", [](const app::Command& solve) {
    app::add_solve_wilson(solve);
    app::add_solve_domain_wall(solve);
    app::add_solve_staggered(solve);
  });
}

} // namespace ridge::wings
