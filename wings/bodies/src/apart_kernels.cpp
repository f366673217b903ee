// Compiled once per device kind: gravity in mixed precision of bodies that are anywhere.
#include <ridge/pairs/apart.hpp>
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/interactions/gravity.hpp>

namespace ridge::pairs {

template struct Executor<Apart<Gravity<>>, Mixed, Here>;

} // namespace ridge::pairs
