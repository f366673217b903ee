// All built-in kernels of lattices, and what expressions on demand may be made of.
#pragma once

#include <ridge/lattice/map_call.hpp>
#include <ridge/lattice/product_adjoint.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/lattice/spin_matrix.hpp>
