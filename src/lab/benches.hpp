// Kernels of the lab that no header of ridge/lab/kernels describes.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

/// Streaming operations.
void add_chain_kernels(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
