// Compiled once per device kind: cpu, emulated GPU, and CUDA and HIP where this build has them.
#include "heat.hpp"

template struct ridge::stencil::Executor<Heat, double, ridge::Here>;
