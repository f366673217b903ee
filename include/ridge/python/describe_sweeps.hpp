// Declarations for descriptions of stencils that Python runs many sweeps of.
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/python/arguments.hpp>
#include <ridge/stencil/stored_demand.hpp>
#include <ridge/stencil/sweeps_over.hpp>

namespace ridge::python {

/// How arrays are stored: fp16 or bf16 where they have 16 bits, but for those whose bits `wide`
/// has, which are halves of fp32 numbers as stencil::Stored<K, wide> takes them.
struct ArrayStorage {
  std::string name;
  unsigned wide = 0;
};

/// How sweeps of a kernel are made.
struct SweepsMaker {
  int levels = 1; ///< of the inputs, the first ones: what a sweep gives new values
  stencil::Traits traits;
  /// Copies the arrays, one an input, each the points of `place` that this rank owns. Throws
  /// UsageError as stencil::Sweeps does. Collective.
  std::unique_ptr<stencil::Sweeps> (*make)(Queue& queue, const Arguments& arguments,
                                           const ArrayStorage& storage,
                                           const stencil::RankPart& place,
                                           const std::string& schedule) = nullptr;
};
/// The function that a description offers, by its own type.
using DescribeSweeps = SweepsMaker();

template <class T>
[[nodiscard]] std::vector<View<const T>> fields_of(const Arguments& arguments) {
  std::vector<View<const T>> fields;
  for (const Array& a : arguments.arrays)
    fields.push_back(view_of<const T>(a));
  return fields;
}

/// `file` is where K's source is.
template <class K>
[[nodiscard]] std::unique_ptr<stencil::Sweeps>
make_sweeps(Queue& queue, const K& kernel, const Arguments& arguments, const ArrayStorage& storage,
            const stencil::RankPart& place, const std::string& schedule, const std::string& file) {
  using namespace stencil;
  const std::type_info& in_fp32 = typeid(stencil::Call<K, float>);
  know_source(in_fp32, file, "");
  know_source(typeid(stencil::Call<K, double>), file, "");
  const auto over = [&]<class T>(std::shared_ptr<const SweptKernel<T>> swept) {
    return sweeps_over<T>(queue, std::move(swept), fields_of<T>(arguments), place, schedule,
                          arguments.kernel);
  };
  const auto functor = std::as_bytes(std::span(&kernel, 1));
  const auto stored = [&]<class S>(S /*type*/) {
    return over(stored_swept<S>(in_fp32, functor, storage.wide));
  };
  if (storage.name == "fp16") return stored(Fp16{});
  if (storage.name == "bf16") return stored(Bf16{});
  return arguments.arrays.front().element_bytes == 4 ? over(swept<float>(kernel))
                                                     : over(swept<double>(kernel));
}

} // namespace ridge::python
