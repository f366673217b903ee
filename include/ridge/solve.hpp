// Krylov solvers of operators of one's own, for users (docs/headers.md), and equations on grids
// where this build has them. Host code only.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/solve/bicgstab.hpp>
#include <ridge/solve/cg.hpp>
#include <ridge/solve/solver.hpp>
#if __has_include(<ridge/grid/for_users.hpp>)
#include <ridge/grid/for_users.hpp>
#endif
