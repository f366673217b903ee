// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "test_chains.hpp"

namespace ridge::chain {

template struct Executor<test::Transport, float, Here>;
template struct Executor<test::Transport, double, Here>;
template struct Executor<test::Stages<true, Edge::clamp>, double, Here>;
template struct Executor<test::Stages<false, Edge::clamp>, double, Here>;
template struct Executor<test::Stages<true, Edge::periodic>, double, Here>;
template struct Executor<test::Stages<false, Edge::periodic>, double, Here>;
template struct Executor<test::Means, double, Here>;
template struct Executor<test::Undeclared<0>, double, Here>;

} // namespace ridge::chain
