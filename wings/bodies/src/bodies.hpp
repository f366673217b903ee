// Bodies on the host and their precision, as all of this wing calls them.
#pragma once

#include "spatial/host_bodies.hpp"

namespace ridge::nbody {

using spatial::Bodies;
using spatial::Precision;

} // namespace ridge::nbody
