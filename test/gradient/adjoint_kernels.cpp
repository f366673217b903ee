// Compiled once per device kind, for what defaults pick.
#undef RIDGE_AHEAD_ALL
#include <ridge/chain/executor.hpp>
#include <ridge/stencil/executor.hpp>

#include "kernels.hpp"

template struct ridge::stencil::Executor<
    ridge::gradient::AdjointOf<ridge::gradient::test::Mixing, 1>, float, ridge::Here>;
template struct ridge::chain::Executor<ridge::gradient::AdjointsOf<ridge::gradient::test::Mixing>,
                                       double, ridge::Here>;
