// Where fields of a whole lattice are.
#pragma once

#include "over_ranks.hpp"

namespace ridge::gauge::detail {

/// Where a solver's fields are: on one rank, or over several; in vectors of which width.
struct Placed {
  comm::Communicator& ranks;
  Queue& queue;
  lattice::RankLattice part;
  lattice::Lattice held;
};

} // namespace ridge::gauge::detail
