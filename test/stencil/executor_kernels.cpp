// Compiled once per device kind, for all that the schedule space lists.
#include <ridge/stencil/executor.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct Executor<Laplacian<2, 3>, double, Here>;
template struct Executor<test::Lopsided, double, Here>;
template struct Executor<test::Advection, float, Here>;

} // namespace ridge::stencil
