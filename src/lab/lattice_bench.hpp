// The lab's reductions of expressions.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

void add_lattice_expressions(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
