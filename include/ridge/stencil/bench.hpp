// Stencils as kernels by their names. What depends on a kernel's type is CheckedKernel's; all else
// is compiled once.
#pragma once

#include <ridge/pattern/bench_kernel.hpp>
#include <ridge/stencil/on_arrays.hpp>

#include <functional>
#include <memory>
#include <string>

namespace ridge::stencil {

/// The kernel on random fields, over ranks where the request has a world of them: on the numbers of
/// one rank. Throws UsageError for a precision that it does not have.
[[nodiscard]] std::unique_ptr<Case>
stencil_case(const std::string& name, const StencilKernel& kernel, const BenchRequest& request);

/// A stencil; `make` gives the kernel for fields of a size, and throws UsageError for numbers of
/// dimensions that it does not have. Arrays of the user's own are of spacing 1, where `on_arrays`
/// of what is made is not set to something else.
[[nodiscard]] BenchKernel bench_stencil(const std::string& name, const std::string& meaning,
                                        const Extents& default_size,
                                        std::function<StencilKernel(const Extents& size)> make);

/// The default size of a stencil of so many dimensions.
[[nodiscard]] Extents default_stencil_size(int rank);

} // namespace ridge::stencil
