// All built-in chains.
#pragma once

#include <ridge/atmosphere/implicit.hpp>
#include <ridge/lab/kernels/chain_streams.hpp>
