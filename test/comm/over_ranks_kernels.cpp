// Compiled once per device kind.
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/pass_executor.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct Executor<Laplacian<2, 3>, double, Here>;
template struct Executor<Laplacian<8, 3>, float, Here>;
template struct Executor<Box27, double, Here>;
template struct Executor<comm::test::Lopsided, double, Here>;
template struct Executor<comm::test::Advection, float, Here>;
template struct Executor<comm::test::Smooth, double, Here>;
template struct Executor<comm::test::Waving, float, Here>;
#if defined(RIDGE_TARGET_CPU)
template struct PassExecutor<Box27, double, Here>;
template struct PassExecutor<comm::test::Lopsided, double, Here>;
template struct PassExecutor<comm::test::Waving, float, Here>;
#endif

} // namespace ridge::stencil
