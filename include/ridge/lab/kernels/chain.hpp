// All built-in chains.
#pragma once

#include <ridge/lab/kernels/chain_streams.hpp>
