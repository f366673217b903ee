// Several sweeps in one pass, compiled for the emulated and for real GPUs.
#include <ridge/core/config.hpp>

#if !defined(RIDGE_TARGET_CPU)
#undef RIDGE_AHEAD_ALL // what defaults pick
#define RIDGE_AHEAD_MOVING_FACES
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/pass_executor.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct PassExecutor<test::Slanted, double, Here>;
template struct Executor<test::Slanted, double, Here>;
template struct PassExecutor<test::Lopsided, double, Here>;
#if !defined(RIDGE_SANITIZED) // the same code with other numbers
template struct PassExecutor<test::Slanted, float, Here>;
template struct Executor<test::Slanted, float, Here>;
#endif

} // namespace ridge::stencil
#endif
