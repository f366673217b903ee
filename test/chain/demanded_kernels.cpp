// A chain compiled as a compilation on demand compiles it: for the groups, or runs, of one plan.
// clang-format off
#define RIDGE_CHAIN_GROUPS {0, 1}, {2, 2}, {3, 3}
#define RIDGE_CHAIN_RUNS {0, 0}, {1, 1}, {2, 2}, {3, 3}
// clang-format on
#include <ridge/chain/executor.hpp>

#include "test_chains.hpp"

template struct ridge::chain::Executor<ridge::chain::test::Demanded, double, ridge::Here>;
