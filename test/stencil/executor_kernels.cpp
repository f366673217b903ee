// Compiled once per device kind, for all that the schedule space lists. Those of a Laplacian are
// the module's, for what defaults pick and the schedules with names.
#include <ridge/stencil/executor.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct Executor<test::Lopsided, double, Here>;
template struct Executor<test::Advection, float, Here>;

} // namespace ridge::stencil
