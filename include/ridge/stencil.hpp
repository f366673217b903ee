// Stencils: the one header of this pattern for users (docs/headers.md).
//
// In a kernel's own header and in kernel sources it brings what kernels are written with and their
// executors; in host code also what binds and runs them.
#pragma once

#include <ridge/stencil/kernel.hpp>

#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
#include <ridge/stencil/executor.hpp>
#endif

#ifdef RIDGE_TARGET_NONE
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/stencil/laplacian.hpp>
#include <ridge/stencil/launch.hpp>
#endif
