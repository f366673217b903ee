// Solvers: grids by multigrid, Fourier transforms and conjugate gradients, and Krylov solvers of
// operators of one's own; the one header of them for users (docs/headers.md). Host code only.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/solve/bicgstab.hpp>
#include <ridge/solve/cg.hpp>
#include <ridge/solve/solver.hpp>
#if __has_include(<ridge/grid.hpp>)
#include <ridge/grid.hpp>
#endif
