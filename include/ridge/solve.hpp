// Solvers: grids by multigrid, Fourier transforms and conjugate gradients, and Krylov solvers of
// operators of one's own; the one header of them for users (docs/headers.md). Host code only.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/solve/bicgstab.hpp>
#include <ridge/solve/cg.hpp>
#include <ridge/solve/grid/diffusion.hpp>
#include <ridge/solve/grid/multigrid.hpp>
#include <ridge/solve/grid/own_operator.hpp>
#include <ridge/solve/grid/solver.hpp>
#include <ridge/solve/solver.hpp>
