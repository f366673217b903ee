// Lattices of site tensors: the one header of this pattern for users (docs/headers.md).
//
// In kernel sources it brings expressions, site loops and reductions of expressions with their
// executors; in host code fields and the reductions, maps and shifts that the library has.
#pragma once

#include <ridge/core/config.hpp>
#include <ridge/lattice/reduction.hpp>

#if !defined(__CUDACC_RTC__) && !defined(__HIPCC_RTC__)
#include <ridge/lattice/evaluate.hpp>
#include <ridge/lattice/executor.hpp>
#include <ridge/lattice/reduce_expression.hpp>
#include <ridge/lattice/site_loop.hpp>
#endif

#ifdef RIDGE_TARGET_NONE
#include <ridge/core/error.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/lattice/map.hpp>
#include <ridge/lattice/random.hpp>
#include <ridge/lattice/reduce.hpp>
#endif
