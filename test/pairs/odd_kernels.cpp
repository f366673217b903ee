// Compiled once per device kind, as one variant of each kind that no default picks: what compiling
// on demand does.
#define RIDGE_PAIRS_CPU 3
#define RIDGE_PAIRS_DIRECT Stage::warp, 3, 4, 8
#define RIDGE_PAIRS_SYMMETRIC 2, 16
#include <ridge/pairs/executor.hpp>

#include "test_interactions.hpp"

namespace ridge::pairs {

template struct Executor<test::Odd, Fp32, Here>;

} // namespace ridge::pairs
