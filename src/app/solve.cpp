#include "commands.hpp"

namespace ridge::app {

void add_solve(CommandLine& line) {
  line.add_extended("solve", "solve an equation");
}

} // namespace ridge::app
