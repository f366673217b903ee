// Several sweeps of fields in 16 bits in one pass, compiled for the emulated and for real GPUs.
#include <ridge/core/config.hpp>

#if !defined(RIDGE_TARGET_CPU) && !defined(RIDGE_SANITIZED)
#undef RIDGE_AHEAD_ALL // what defaults pick
#if !defined(RIDGE_TARGET_SIMT)
#define RIDGE_STENCIL_GPU_PASS 4, 2, 16, Store::plain, true
#endif
#include <ridge/stencil/executor.hpp>
#include <ridge/stencil/pass_executor.hpp>
#include <ridge/stencil/stored.hpp>

#include "test_kernels.hpp"

namespace ridge::stencil {

template struct PassExecutor<Stored<test::Slanted>, Fp16, Here>;
template struct Executor<Stored<test::Slanted>, Fp16, Here>;
template struct PassExecutor<Stored<test::Ripple<1>>, Bf16, Here>;
template struct Executor<Stored<test::Ripple<1>>, Bf16, Here>;

} // namespace ridge::stencil
#endif
