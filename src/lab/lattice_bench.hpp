// The lattice kernels of the lab.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

void add_lattice_kernels(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
