// Kernels of the lab that no header of ridge/lab/kernels describes.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

/// Streaming operations.
void add_chain_kernels(std::vector<BenchKernel>& kernels);
/// Sums by a tree.
void add_trees(std::vector<BenchKernel>& kernels);
/// Cycles of multigrid.
void add_multigrid(std::vector<BenchKernel>& kernels);
/// Reductions of expressions of lattice fields.
void add_lattice_expressions(std::vector<BenchKernel>& kernels);
/// The hopping term of Wilson fermions, and operators on stored fields: wilson, wilson-even-odd,
/// dwf.
void add_dslash(std::vector<BenchKernel>& kernels);
/// More of them: clover, staggered.
void add_clover(std::vector<BenchKernel>& kernels);

} // namespace ridge::lab
