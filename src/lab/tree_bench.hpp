#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

/// Adds sums by a tree.
void add_trees(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
