// Compiled once per device kind, for the schedules with names, too.
#define RIDGE_AHEAD_NAMES
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/interactions/gravity.hpp>

namespace ridge::pairs {

template struct Executor<Gravity<>, Fp32, Here>;

} // namespace ridge::pairs
