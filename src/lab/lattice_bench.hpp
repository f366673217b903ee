// The lab's reductions of expressions and its site kernel.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

void add_lattice_expressions(std::vector<BenchKernel>& kernels);
/// The hopping term of Wilson fermions.
void add_hopping(std::vector<BenchKernel>& kernels);
/// Operators on stored fields: wilson, wilson-even-odd, dwf.
void add_dslash(std::vector<BenchKernel>& kernels);
/// More of them: clover, staggered.
void add_clover(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
