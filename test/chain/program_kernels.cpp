// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "test_chains.hpp"

namespace ridge::chain {

template struct Executor<test::Transport, float, Here>;
template struct Executor<test::Transport, double, Here>;
template struct Executor<test::Stages<0, 2, Edge::clamp>, double, Here>;
template struct Executor<test::Stages<1, 2, Edge::clamp>, double, Here>;
template struct Executor<test::Stages<0, 2, Edge::periodic>, double, Here>;
template struct Executor<test::Stages<1, 2, Edge::periodic>, double, Here>;
template struct Executor<test::Stages<0, 1, Edge::periodic>, double, Here>;
template struct Executor<test::Stages<0, 3, Edge::periodic>, double, Here>;
template struct Executor<test::Stages<2, 3, Edge::clamp>, double, Here>;
template struct Executor<test::Means, double, Here>;
template struct Executor<test::Undeclared<0>, double, Here>;

} // namespace ridge::chain
