// Adjoints as kernels by their names, for benchmarks, the tuner, the doctor
// and the model: found by calling the kernel with values that note what they are made of, compiled
// when they are asked for, proved before they are launched.
#pragma once

#include <ridge/gradient/proof.hpp>
#include <ridge/pattern/bench_kernel.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <typeinfo>

namespace ridge::gradient {

/// A stencil with its type put away.
struct AnyStencil {
  const std::type_info* call; ///< stencil::Call<K, T>
  std::span<const std::byte> functor;
};

/// The adjoints of a stencil by all inputs that its result has a derivative by, on fields of `rank`
/// dimensions: of one input a stencil, of several a chain of one operation. Throws UsageError for a
/// kernel that has no derivative, and as launch::load_description does.
[[nodiscard]] BenchKernel bench_adjoints(const std::string& name, const AnyStencil& kernel,
                                         int rank);

/// Likewise for a benchmark of the pattern stencil. Throws UsageError for sizes that it does not
/// have.
[[nodiscard]] BenchKernel bench_adjoints(const BenchKernel& forward, const Extents& size);

/// The adjoint of a chain by all its inputs, or of a sum over pairs by the components of bodies
/// that act on each other, on the bodies that `forward` is benched on; `file` has the functor.
/// Throws UsageError for those that have none.
[[nodiscard]] BenchKernel bench_adjoint_of_case(const BenchKernel& forward,
                                                const std::string& file);

/// Has the kernel's checks fail where its proof does, and its records say what that found:
/// "adjoint": {"dot_error": ..., "slope": ...}.
void prove_cases(BenchKernel& kernel, const Proof& proof);

} // namespace ridge::gradient
