// Cases of the stencil pattern. What depends on a kernel's type is stencil::CheckedKernel's; all
// else is compiled once.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/pattern/precision.hpp>
#include <ridge/stencil/any_kernel.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::lab {

/// A stencil kernel in both precisions, its type put away.
struct StencilKernel {
  std::shared_ptr<const stencil::CheckedKernel<float>> fp32;
  std::shared_ptr<const stencil::CheckedKernel<double>> fp64;
};
template <class K>
[[nodiscard]] StencilKernel stencil_kernel(const K& kernel) {
  return {stencil::checked<float>(kernel), stencil::checked<double>(kernel)};
}

/// A kernel on arrays of another language, in their precision. Throws UsageError for those that it
/// does not take.
[[nodiscard]] std::unique_ptr<Case> stencil_on_arrays(Queue& queue, const StencilKernel& kernel,
                                                      const Arguments& arguments);

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

/// Says which file and flags of the compiler K comes from, for what is compiled on demand.
template <class K>
void know_stencil_source(const std::string& file, const std::string& flags = {}) {
  know_source(typeid(stencil::Call<K, float>), file, flags);
  know_source(typeid(stencil::Call<K, double>), file, flags);
}

} // namespace ridge::lab
