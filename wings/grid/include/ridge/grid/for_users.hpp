// Equations on grids of points: multigrid, Fourier transforms, conjugate gradients and implicit
// steps of diffusion: what ridge/solve.hpp brings of them. Host code only.
#pragma once

#include <ridge/grid/diffusion.hpp>
#include <ridge/grid/multigrid.hpp>
#include <ridge/grid/own_operator.hpp>
#include <ridge/grid/solver.hpp>
