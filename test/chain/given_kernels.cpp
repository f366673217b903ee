// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "given_chains.hpp"

namespace ridge::chain {

template struct Executor<test::GivenEnds<2>, double, Here>;
template struct Executor<test::GivenEnds<3>, double, Here>;
template struct Executor<test::GivenEnds<3>, float, Here>;
template struct Executor<test::GivenFaces<2>, double, Here>;
template struct Executor<test::GivenFaces<3>, float, Here>;

} // namespace ridge::chain
