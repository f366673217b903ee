// Compiled once per device kind.
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/stencil/executor.hpp>

namespace ridge::stencil {

template struct Executor<Box27, float, Here>;
template struct Executor<Box27, double, Here>;
template struct Executor<lab::Diffusion, float, Here>;
template struct Executor<lab::Diffusion, double, Here>;

} // namespace ridge::stencil
