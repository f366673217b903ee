// Compiled once per device kind. Heat is the Laplacian's own kernel.
#include <ridge/lab/evolving_kernels.hpp>
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/pass_executor.hpp>

namespace ridge::stencil {

template struct Executor<lab::Wave<2, 3>, float, Here>;
template struct Executor<lab::Wave<2, 3>, double, Here>;
template struct Executor<lab::DiffusionStep<3>, float, Here>;
template struct Executor<lab::DiffusionStep<3>, double, Here>;

#if defined(RIDGE_TARGET_CPU)
template struct PassExecutor<Laplacian<2, 3>, float, Here>;
template struct PassExecutor<Laplacian<2, 3>, double, Here>;
template struct PassExecutor<lab::Wave<2, 3>, double, Here>;
#elif defined(RIDGE_TARGET_CUDA)
template struct PassExecutor<Laplacian<2, 3>, float, Here>;
template struct PassExecutor<Laplacian<2, 3>, double, Here>;
#endif

} // namespace ridge::stencil
