// Chains of operations: the one header of this pattern for users (docs/headers.md).
//
// In a kernel's own header and in kernel sources it brings what chains are written with and their
// executors; in host code also what binds and runs them.
#pragma once

#include <ridge/chain/operation.hpp>

#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
#include <ridge/chain/executor.hpp>
#endif

#ifdef RIDGE_TARGET_NONE
#include <ridge/chain/launch.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/graph.hpp>
#endif
