// The pairs kernels of the lab.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

void add_pairs_kernels(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
