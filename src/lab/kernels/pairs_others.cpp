// Compiled once per device kind.
#include <ridge/pairs/executor.hpp>
#include <ridge/pairs/interactions/biot_savart.hpp>
#include <ridge/pairs/interactions/coulomb.hpp>
#include <ridge/pairs/interactions/gaussian.hpp>
#include <ridge/pairs/interactions/lennard_jones.hpp>

namespace ridge::pairs {

template struct Executor<Coulomb, Fp32, Here>;
template struct Executor<Coulomb, Fp64, Here>;
template struct Executor<Gaussian, Fp32, Here>;
template struct Executor<Gaussian, Fp64, Here>;
template struct Executor<LennardJones, Fp32, Here>;
template struct Executor<LennardJones, Fp64, Here>;
template struct Executor<BiotSavart, Fp32, Here>;
template struct Executor<BiotSavart, Fp64, Here>;

} // namespace ridge::pairs
