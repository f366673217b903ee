// Compiled once per device kind.
#include <ridge/pairs/far/executor.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>

#include "far_interactions.hpp"

namespace ridge::pairs {

template struct FarExecutor<test::Screened, Fp64, Here>;
template struct FarExecutor<test::Screened, Fp32, Here>;
template struct FarExecutor<test::Bump, Fp32, Here>;
template struct FarExecutor<Coulomb, Fp64, Here>;

} // namespace ridge::pairs
