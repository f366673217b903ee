// The lattice kernels of the lab.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

/// Reductions and maps of fields.
void add_lattice_kernels(std::vector<BenchKernel>& kernels);
/// Reductions of expressions.
void add_lattice_expressions(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
