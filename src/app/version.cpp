#include "version.hpp"

namespace ridge::app {

const char ridge_version[] = RIDGE_VERSION;

} // namespace ridge::app
