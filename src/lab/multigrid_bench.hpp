#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

/// Adds cycles of multigrid.
void add_multigrid(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
