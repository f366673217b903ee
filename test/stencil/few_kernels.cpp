// Compiled once per device kind, as users' kernels are: for what defaults pick.
#undef RIDGE_AHEAD_ALL
#include <ridge/stencil/executor.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct Executor<test::Lopsided, float, Here>;
template struct Executor<test::Advection, double, Here>;
template struct Executor<test::Pulse, double, Here>;
template struct Executor<test::Undeclared, double, Here>;

} // namespace ridge::stencil
