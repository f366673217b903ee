// The built-in reductions and maps as the whole schedule space has them.
#include "lattice/map_kernels.cpp"    // NOLINT(bugprone-suspicious-include)
#include "lattice/reduce_kernels.cpp" // NOLINT(bugprone-suspicious-include)
