// Several sweeps in one pass of kernels with two time levels, and of those that read far.
#include <ridge/core/config.hpp>

#if !defined(RIDGE_TARGET_CPU) && !defined(RIDGE_SANITIZED) // which compiles these for minutes
#undef RIDGE_AHEAD_ALL                                      // what defaults pick
#define RIDGE_AHEAD_MOVING_FACES
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/pass_executor.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct PassExecutor<test::Ripple<1>, double, Here>;
template struct PassExecutor<test::Steep<2>, double, Here>;
template struct Executor<test::Ripple<1>, double, Here>;
template struct Executor<test::Steep<2>, double, Here>;

} // namespace ridge::stencil
#endif
