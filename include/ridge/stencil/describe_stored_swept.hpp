// Declarations for descriptions of stencils that evolve in 16 bits
// (ridge/stencil/stored_demand.hpp).
#pragma once

#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/stencil/any_kernel.hpp>
#include <ridge/stencil/stored.hpp>
#include <ridge/stencil/stored_shell.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ridge::stencil {

namespace detail {

template <class K, class S, unsigned Wide>
class StoredSwept final : public SweptKernel<S> {
public:
  explicit StoredSwept(const K& kernel)
      : SweptKernel<S>(traits_of<Stored<K, Wide>, S>(), levels_of<K>()),
        swept_(Stored<K, Wide>{kernel}) {}

  Program bind(Queue& queue, Inputs<S> in, const View<S>& out, const Schedule* schedule,
               std::string_view name) const override {
    return swept_.bind(queue, in, out, schedule, name);
  }
  Program bind_pass(Queue& queue, const AnyPass<S>& pass, const PassSchedule& schedule,
                    std::string_view name) const override {
    if (!has_exact_images(pass.shell.rules)) {
      throw UsageError("a pass of several sweeps rounds points beyond faces once more; fields in "
                       "16 bits take sweeps=1 where a face has a value or a slope other than 0");
    }
    return swept_.bind_pass(queue, pass, schedule, name);
  }

private:
  SweptOf<Stored<K, Wide>, S> swept_;
};

} // namespace detail

/// K of these bytes on fields of S, but for the inputs of Stored<K, Wide> that stay fp32; `file` is
/// where that can be compiled from.
template <class K, class S, unsigned Wide>
[[nodiscard]] std::shared_ptr<const SweptKernel<S>>
describe_stored_swept(std::span<const std::byte> functor, const std::string& file) {
  static_assert(std::is_trivially_copyable_v<K>, "a kernel is a struct of numbers");
  know_source(typeid(Call<Stored<K, Wide>, S>), file, "");
  std::array<std::byte, sizeof(K)> bytes;
  std::copy_n(functor.begin(), bytes.size(), bytes.begin());
  return shared_as<detail::StoredSwept<K, S, Wide>, const SweptKernel<S>>(std::bit_cast<K>(bytes));
}

} // namespace ridge::stencil
