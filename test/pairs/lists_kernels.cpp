// Compiled once per device kind.
#include <ridge/pairs/lists/executor.hpp>

#include "test_interactions.hpp"

namespace ridge::pairs {

template struct ListExecutor<LennardJones, Fp32, Here>;
template struct ListExecutor<LennardJones, Fp64, Here>;
template struct ListExecutor<test::Charges, Fp32, Here>;
template struct ListExecutor<test::Charges, Mixed, Here>;

} // namespace ridge::pairs
