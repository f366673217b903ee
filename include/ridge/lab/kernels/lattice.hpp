// All built-in kernels of lattices, but expressions, whose types say all.
#pragma once

#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduction.hpp>
