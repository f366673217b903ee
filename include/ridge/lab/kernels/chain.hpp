// All built-in chains.
#pragma once

#include <ridge/atmosphere/implicit.hpp>
#include <ridge/lab/chain_kernels.hpp>
