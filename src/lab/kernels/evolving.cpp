// Compiled once per device kind. Heat is the Laplacian's own kernel.
#include <ridge/lab/evolving_kernels.hpp>
#include <ridge/stencil/executor.hpp>

namespace ridge::stencil {

template struct Executor<lab::Wave<2, 3>, float, Here>;
template struct Executor<lab::Wave<2, 3>, double, Here>;
template struct Executor<lab::DiffusionStep<3>, float, Here>;
template struct Executor<lab::DiffusionStep<3>, double, Here>;

} // namespace ridge::stencil
