// Stencils on arrays that came from another language.
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/pattern/arrays.hpp>
#include <ridge/pattern/case.hpp>
#include <ridge/stencil/any_kernel.hpp>

#include <memory>
#include <string>

namespace ridge::stencil {

/// A stencil kernel in both precisions, its type put away.
struct StencilKernel {
  std::shared_ptr<const CheckedKernel<float>> fp32;
  std::shared_ptr<const CheckedKernel<double>> fp64;
};
template <class K>
[[nodiscard]] StencilKernel stencil_kernel(const K& kernel) {
  return {checked<float>(kernel), checked<double>(kernel)};
}

/// A kernel on arrays of another language, in their precision. Throws UsageError for those that it
/// does not take.
[[nodiscard]] std::unique_ptr<Case> stencil_on_arrays(Queue& queue, const StencilKernel& kernel,
                                                      const Arguments& arguments);

/// Says which file and flags of the compiler K comes from, for what is compiled on demand.
template <class K>
void know_stencil_source(const std::string& file, const std::string& flags = {}) {
  know_source(typeid(Call<K, float>), file, flags);
  know_source(typeid(Call<K, double>), file, flags);
}

/// Likewise of a kernel whose source is `file`, on arrays of T.
template <class T, class K>
[[nodiscard]] std::unique_ptr<Case> described_on_arrays(Queue& queue, RoofSource& /*roof*/,
                                                        const K& kernel, const Arguments& arguments,
                                                        const std::string& file) {
  constexpr auto inputs = static_cast<std::size_t>(inputs_of<K>);
  know_stencil_source<K>(file);
  if (arguments.arrays.size() != inputs + 1) {
    throw UsageError(arguments.kernel + " takes " + std::to_string(inputs) +
                     " arrays and one to write to, not " + std::to_string(arguments.arrays.size()) +
                     " in all");
  }
  StencilKernel of;
  if constexpr (sizeof(T) == sizeof(float)) {
    of.fp32 = checked<T>(kernel);
  } else {
    of.fp64 = checked<T>(kernel);
  }
  return stencil_on_arrays(queue, of, arguments);
}

} // namespace ridge::stencil
