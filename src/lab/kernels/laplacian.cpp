// Compiled once per device kind, for the schedules with names, too.
#define RIDGE_AHEAD_NAMES
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/stencil/executor.hpp>

namespace ridge::stencil {

template struct Executor<Laplacian<2, 3>, float, Here>;
template struct Executor<Laplacian<2, 3>, double, Here>;

} // namespace ridge::stencil
