// Adjoints of stencils: the one header of them for users (docs/headers.md).
//
// In kernel sources it brings adjoint kernels and their executors; in host code also what binds
// them.
#pragma once

#include <ridge/gradient/together.hpp>
#include <ridge/stencil.hpp>

#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
#include <ridge/chain/executor.hpp>
#endif

#ifdef RIDGE_TARGET_NONE
#include <ridge/gradient/call.hpp>
#include <ridge/gradient/proof.hpp>
#endif
