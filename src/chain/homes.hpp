// Where the arrays of a chain's plan are held.
#pragma once

#include <ridge/chain/plan.hpp>

namespace ridge::chain {

/// Sets the arrays of a plan whose groups are known: what is held of each, and of temporaries
/// where: in registers, in a part of a tile's memory, or in a part of the range's.
void find_homes(const Description& description, bool gpu, Plan& plan);

} // namespace ridge::chain
