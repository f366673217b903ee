// Compiled once per device kind.
#include <ridge/chain/executor.hpp>
#include <ridge/lab/kernels/chain_streams.hpp>

namespace ridge::chain {

template struct Executor<lab::Stream<1>, double, Here>;
template struct Executor<lab::Stream<1>, float, Here>;
template struct Executor<lab::Stream<2>, double, Here>;
template struct Executor<lab::Stream<2>, float, Here>;
template struct Executor<lab::Stream<5>, double, Here>;
template struct Executor<lab::Stream<5>, float, Here>;
template struct Executor<lab::Stream<10>, double, Here>;
template struct Executor<lab::Stream<10>, float, Here>;

} // namespace ridge::chain
