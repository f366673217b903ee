// Adjoints of kernels by their names: `ridge bench KERNEL --adjoint`.
#pragma once

#include <ridge/lab/bench.hpp>

namespace ridge::lab {

/// The adjoint of a stencil, of one step of a kernel that evolves, of a chain, or of a sum over
/// pairs, on fields with the dimensions of `size`; see ridge/gradient/bench.hpp. `given` is the
/// kernel as find_kernel takes it. Throws UsageError for a kernel of another pattern, and for one
/// that has no derivative.
[[nodiscard]] BenchKernel adjoint_of(const BenchKernel& kernel, const Extents& size,
                                     const std::string& given);

} // namespace ridge::lab
