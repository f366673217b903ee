#include "commands.hpp"

namespace ridge::app {

void add_apply(CLI::App& /*app*/) {}

} // namespace ridge::app
