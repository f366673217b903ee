// A simulation of blocks and cache sets, to check the analytic model with: every line that every
// block touches, in the order of time, through sets that replace the least recently used line.
#pragma once

#include <ridge/model/traffic.hpp>

namespace ridge::model {

/// Fetched bytes of a 7-point stencil whose blocks are one row, one point a thread, walked in x, y,
/// z. Blocks start one after the other; `resident` of them live at a time; `wait_share` of its life
/// passes between a block's uses of two planes.
[[nodiscard]] double simulate_fetched(const StencilAccess& access, const Description& device,
                                      double resident, double wait_share);

} // namespace ridge::model
