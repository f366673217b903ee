// The cores of a machine among its ranks.
#pragma once

#include <ridge/comm/communicator.hpp>

namespace ridge::comm {

/// Gives each rank of a machine its share of the cores, unless they have different ones already.
/// Called before anybody asks which cores there are.
void share_cores(Communicator& world);

} // namespace ridge::comm
