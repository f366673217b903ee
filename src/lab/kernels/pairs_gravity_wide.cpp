// Compiled once per device kind.
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/interactions/gravity.hpp>

namespace ridge::pairs {

template struct Executor<Gravity<>, Fp64, Here>;
template struct Executor<Gravity<>, Mixed, Here>;

} // namespace ridge::pairs
