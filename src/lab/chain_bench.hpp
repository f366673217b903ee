// The chains of the lab.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

void add_chain_kernels(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
