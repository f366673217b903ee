// Bodies under forces of a tree.
#pragma once

#include "system.hpp"

namespace ridge::nbody {

/// As make_system does. Over ranks each has all bodies and the whole tree, and sums for a part of
/// the groups of targets: any number of ranks has the same bits.
[[nodiscard]] std::unique_ptr<System>
make_tree_system(const Device& device, const Parameters& parameters, const Bodies& bodies,
                 std::string_view schedule, comm::Communicator& ranks, const Before& before);

} // namespace ridge::nbody
