// Compiled once per device kind: cpu, emulated GPU, and CUDA and HIP where this build has them.
#include "coulomb.hpp"

template struct ridge::pairs::Executor<Coulomb, ridge::pairs::Fp64, ridge::Here>;
