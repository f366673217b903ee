// Compiled once per device kind.
#include <ridge/pairs/executor.hpp>

#include "test_interactions.hpp"

namespace ridge::pairs {

template struct Executor<test::Mixture, Fp64, Here>;
template struct Executor<test::Density, Mixed, Here>;

} // namespace ridge::pairs
