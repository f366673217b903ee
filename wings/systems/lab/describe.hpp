// The host's part of the entries of this wing's built-in kernels.
#pragma once

#include <ridge/lab/kernels/chain_system_ranks.hpp>
