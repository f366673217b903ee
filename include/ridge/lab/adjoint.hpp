// Adjoints of kernels by their names: `ridge bench KERNEL --adjoint`.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

/// The adjoint of a stencil, or of one step of a kernel that evolves, on fields with the dimensions
/// of `size`; see ridge/gradient/bench.hpp. Throws UsageError for a kernel of another pattern, and
/// for one that has no derivative.
[[nodiscard]] BenchKernel adjoint_of(const BenchKernel& kernel, const Extents& size);

} // namespace ridge::lab
