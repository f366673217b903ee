// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "chain_kernels.hpp"

namespace ridge::chain {

template struct Executor<comm::test::Means, double, Here>;
template struct Executor<Placed<comm::test::Means>, double, Here>;
template struct Executor<comm::test::Transport, float, Here>;
template struct Executor<Placed<comm::test::Transport>, float, Here>;
template struct Executor<comm::test::Walls, double, Here>;
template struct Executor<Placed<comm::test::Walls>, double, Here>;
template struct Executor<comm::test::Ring, double, Here>;
template struct Executor<Placed<comm::test::Ring>, double, Here>;
template struct Executor<comm::test::Inner, double, Here>;
template struct Executor<Placed<comm::test::Inner>, double, Here>;
template struct Executor<comm::test::Stack, double, Here>;
template struct Executor<Placed<comm::test::Stack>, double, Here>;
template struct Executor<comm::test::Weights, double, Here>;
template struct Executor<Placed<comm::test::Weights>, double, Here>;

} // namespace ridge::chain
