// All built-in chains.
#pragma once

#include <ridge/lab/kernels/chain/columns.hpp>
#include <ridge/lab/kernels/chain/elements.hpp>
#include <ridge/lab/kernels/chain_streams.hpp>
