// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "random_chain.hpp"

namespace ridge::chain {

template struct Executor<test::RandomChain<0>, double, Here>;
template struct Executor<test::RandomChain<1>, double, Here>;
template struct Executor<test::RandomChain<2>, double, Here>;
template struct Executor<test::RandomChain<3>, double, Here>;
#if !defined(RIDGE_SANITIZED)
template struct Executor<test::RandomChain<4>, double, Here>;
template struct Executor<test::RandomChain<5>, double, Here>;
template struct Executor<test::RandomChain<6>, double, Here>;
template struct Executor<test::RandomChain<7>, double, Here>;
template struct Executor<test::RandomChain<8>, double, Here>;
template struct Executor<test::RandomChain<9>, double, Here>;
template struct Executor<test::RandomChain<10>, double, Here>;
template struct Executor<test::RandomChain<11>, double, Here>;
template struct Executor<test::RandomChain<12>, double, Here>;
template struct Executor<test::RandomChain<13>, double, Here>;
template struct Executor<test::RandomChain<14>, double, Here>;
template struct Executor<test::RandomChain<15>, double, Here>;
template struct Executor<test::RandomChain<16>, double, Here>;
template struct Executor<test::RandomChain<17>, double, Here>;
#endif

} // namespace ridge::chain
