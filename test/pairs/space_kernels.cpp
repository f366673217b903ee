// Compiled once per device kind, outside the sanitizers for all schedules of the space.
#if !defined(RIDGE_SANITIZED) && !defined(RIDGE_AHEAD_ALL)
#define RIDGE_AHEAD_ALL
#endif
#include <ridge/pairs/executor.hpp>

#include "test_interactions.hpp"

namespace ridge::pairs {

template struct Executor<test::Mixture, Fp32, Here>;

} // namespace ridge::pairs
