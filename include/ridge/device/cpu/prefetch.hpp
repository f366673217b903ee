// Asking for cache lines ahead of time on the cpu.
#pragma once

#include <ridge/core/config.hpp>

namespace ridge::cpu {

/// Asks for the line at an address, to read it. An object rather than a lambda, which cannot be
/// inlined by force: g++ 12 takes a function that only prefetches for one without effect and leaves
/// its calls out.
struct PrefetchIntoL1 {
  RIDGE_FN void operator()(const void* at) const { __builtin_prefetch(at, 0, 3); }
};
struct PrefetchIntoL2 {
  RIDGE_FN void operator()(const void* at) const { __builtin_prefetch(at, 0, 2); }
};

} // namespace ridge::cpu
