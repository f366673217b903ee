// A chain compiled as a debug build compiles it: reads beyond the declared reach are errors.
#undef NDEBUG
#include <ridge/chain/executor.hpp>

#include "test_chains.hpp"

template struct ridge::chain::Executor<ridge::chain::test::Undeclared<1>, double, ridge::Here>;
