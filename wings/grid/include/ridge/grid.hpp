// Equations on grids of points: multigrid, Fourier transforms, conjugate gradients and implicit
// steps of diffusion. Users include ridge/solve.hpp, which brings it (docs/headers.md). Host code
// only.
#pragma once

#include <ridge/grid/diffusion.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/grid/own_operator.hpp>
#include <ridge/grid/solver.hpp>
