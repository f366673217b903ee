// All built-in kernels of lattices.
#pragma once

#include <ridge/lab/lattice_residual.hpp>
#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/reduction.hpp>
