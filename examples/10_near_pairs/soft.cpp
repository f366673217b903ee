// Compiled once per device kind: cpu, emulated GPU, and CUDA and HIP where this build has them.
#include "soft.hpp"

template struct ridge::pairs::ListExecutor<Soft, ridge::pairs::Fp64, ridge::Here>;
