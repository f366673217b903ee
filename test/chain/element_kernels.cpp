// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "element_chains.hpp"

namespace ridge::chain {

template struct Executor<test::Derivatives<4, true>, double, Here>;
template struct Executor<test::Derivatives<4, true>, float, Here>;
template struct Executor<test::Derivatives<5, true>, double, Here>;
template struct Executor<test::Derivatives<12, false>, double, Here>;
template struct Executor<test::Stack, double, Here>;
template struct Executor<lab::ElementLaplacian<4>, double, Here>;

} // namespace ridge::chain
