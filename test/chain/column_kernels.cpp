// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "column_chains.hpp"

namespace ridge::chain {

template struct Executor<test::Weights<2, false>, double, Here>;
template struct Executor<test::Weights<3, true>, double, Here>;
template struct Executor<test::Weights<3, true>, float, Here>;
template struct Executor<test::Differences<false>, double, Here>;
template struct Executor<test::Differences<true>, double, Here>;
template struct Executor<test::Systems<false, false>, double, Here>;
template struct Executor<test::Systems<true, false>, double, Here>;
template struct Executor<test::Systems<false, true>, double, Here>;

} // namespace ridge::chain
