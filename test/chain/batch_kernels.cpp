// Compiled once per device kind.
#include <ridge/chain/executor.hpp>

#include "batch_chains.hpp"

namespace ridge::chain {

template struct Executor<test::Where, double, Here>;
template struct Executor<Batch<test::Ring>, double, Here>;
template struct Executor<Batch<lab::Tridiagonal>, double, Here>;
template struct Executor<lab::CloudModels, double, Here>;

} // namespace ridge::chain
