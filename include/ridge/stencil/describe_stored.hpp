// Declarations for descriptions of stencils of stored fields
// (ridge/stencil/stored_demand.hpp).
#pragma once

#include <ridge/device/offer.hpp>
#include <ridge/stencil/stored_kernel.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ridge::stencil {

/// K of these bytes on fields of S, but for the inputs of Stored<K, Wide> that stay fp32; `file` is
/// where that can be compiled from.
template <class K, class S, unsigned Wide>
[[nodiscard]] std::shared_ptr<const CheckedKernel<S>>
describe_stored(std::span<const std::byte> functor, const std::string& file) {
  static_assert(std::is_trivially_copyable_v<K>, "a kernel is a struct of numbers");
  know_source(typeid(Call<Stored<K, Wide>, S>), file, "");
  std::array<std::byte, sizeof(K)> bytes;
  std::copy_n(functor.begin(), bytes.size(), bytes.begin());
  return stored<S, Wide>(std::bit_cast<K>(bytes));
}

} // namespace ridge::stencil
