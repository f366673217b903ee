// Compiled once per device kind: the forces of the potential of Lennard-Jones.
#include <ridge/pairs/interactions/lennard_jones.hpp>
#include <ridge/pairs/lists/executor.hpp>

namespace ridge::pairs {

template struct ListExecutor<ForceOf<LennardJones>, Fp32, Here>;
template struct ListExecutor<ForceOf<LennardJones>, Fp64, Here>;
template struct ListExecutor<ForceOf<LennardJones>, Mixed, Here>;
template struct ListExecutor<EnergyOf<LennardJones>, Fp32, Here>;
template struct ListExecutor<EnergyOf<LennardJones>, Fp64, Here>;
template struct ListExecutor<EnergyOf<LennardJones>, Mixed, Here>;

} // namespace ridge::pairs
