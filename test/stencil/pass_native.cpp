// Compiled for the cpu.
#include <ridge/stencil/pass_executor.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct PassExecutor<test::Lopsided, double, Here>;
template struct PassExecutor<test::Advection, float, Here>;
template struct PassExecutor<test::Pulse, double, Here>;
template struct PassExecutor<Laplacian<4, 2>, double, Here>;

template struct Executor<Laplacian<4, 2>, double, Here>;

} // namespace ridge::stencil
