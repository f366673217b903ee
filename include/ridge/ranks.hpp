// Ranks: stencils, chains and sums over many devices and machines; the one header of them for users
// (docs/headers.md). Host code only.
#pragma once

#include <ridge/chain/over_ranks.hpp>
#include <ridge/comm/communicator.hpp>
#include <ridge/comm/field.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/lattice/over_ranks.hpp>
#include <ridge/stencil/over_ranks.hpp>
