// All built-in chains.
#pragma once

#include <ridge/atmosphere/sweeps.hpp>
#include <ridge/lab/chain_kernels.hpp>
