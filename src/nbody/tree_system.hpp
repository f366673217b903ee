// Bodies under forces of a tree.
#pragma once

#include "system.hpp"

namespace ridge::nbody {

/// As make_system does, on one rank.
[[nodiscard]] std::unique_ptr<System>
make_tree_system(const Device& device, const Parameters& parameters, const Bodies& bodies,
                 std::string_view schedule, const Before& before);

} // namespace ridge::nbody
