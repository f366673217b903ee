// Cases of the stencil pattern. What depends on a kernel's type is stencil::CheckedKernel's; all
// else is compiled once.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/precision.hpp>
#include <ridge/lab/stencil_check.hpp>
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

/// The kernel on fields that somebody else owns. The output, gaps between its rows included, is
/// overwritten by poison and by what measures the ceiling.
template <class T>
[[nodiscard]] std::unique_ptr<Case>
stencil_on_views(std::string name, Queue& queue,
                 std::shared_ptr<const stencil::CheckedKernel<T>> kernel,
                 std::vector<View<const T>> in, const View<T>& out);
extern template std::unique_ptr<Case>
stencil_on_views(std::string, Queue&, std::shared_ptr<const stencil::CheckedKernel<float>>,
                 std::vector<View<const float>>, const View<float>&);
extern template std::unique_ptr<Case>
stencil_on_views(std::string, Queue&, std::shared_ptr<const stencil::CheckedKernel<double>>,
                 std::vector<View<const double>>, const View<double>&);

/// A kernel on arrays of another language. Throws UsageError for those that it does not take.
template <class T>
[[nodiscard]] std::unique_ptr<Case>
stencil_on_arrays(Queue& queue, std::shared_ptr<const stencil::CheckedKernel<T>> kernel,
                  const Arguments& arguments);
extern template std::unique_ptr<Case>
stencil_on_arrays(Queue&, std::shared_ptr<const stencil::CheckedKernel<float>>, const Arguments&);
extern template std::unique_ptr<Case>
stencil_on_arrays(Queue&, std::shared_ptr<const stencil::CheckedKernel<double>>, const Arguments&);
/// In their precision.
[[nodiscard]] std::unique_ptr<Case> stencil_on_arrays(Queue& queue, const StencilKernel& kernel,
                                                      const Arguments& arguments);

/// The kernel on random fields, their rows and planes as far apart as the device likes. Throws
/// UsageError for a precision that is neither fp64 nor fp32.
[[nodiscard]] std::unique_ptr<Case>
stencil_case(const std::string& name, const StencilKernel& kernel, const BenchRequest& request);
/// The kernel over the ranks of the request, on the numbers of one rank.
[[nodiscard]] std::unique_ptr<Case> rank_stencil_case(const std::string& name,
                                                      const StencilKernel& kernel,
                                                      const BenchRequest& request);

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
