// Stencils of stored fields with their types put away (ridge/stencil/any_kernel.hpp).
#pragma once

#include <ridge/stencil/any_kernel.hpp>
#include <ridge/stencil/stored.hpp>

#include <cmath>
#include <memory>

namespace ridge::stencil {

namespace detail {

/// A neighbour of a stored field for the reference, and for its bound: what fp32 is off.
template <class V, class S>
struct StoredReference {
  const S* at;
  Index row, plane;
  V operator()(int dx, int dy = 0, int dz = 0) const {
    const double number = widened(at[dx + dy * row + dz * plane]);
    if constexpr (std::is_constructible_v<V, double, double>) {
      return V(number, 0.0);
    } else {
      return V(number);
    }
  }
};

template <class K, class S>
class StoredOf final : public CheckedKernel<S> {
public:
  explicit StoredOf(const K& kernel)
      : CheckedKernel<S>(traits_of<Stored<K>, S>(), 1), kernel_{kernel} {}

  Program bind(Queue& queue, Inputs<S> in, const View<S>& out, const Schedule* schedule,
               std::string_view name) const override {
    return bind_call(queue, kernel_, in, out, schedule, name);
  }
  [[nodiscard]] const std::type_info& call_type() const override {
    return typeid(Call<Stored<K>, S>);
  }
  [[nodiscard]] std::span<const std::byte> functor() const override {
    return std::as_bytes(std::span(&kernel_, 1));
  }
  void reference_row(Inputs<S> in, Index y, Index z, Index x0, Index x1,
                     double* values) const override {
    for (Index x = x0; x < x1; ++x)
      *values++ = at<Pack<double, 1, abi::Array>>(in, x, y, z)[0];
  }
  [[nodiscard]] double bound_at(Inputs<S> in, Index x, Index y, Index z) const override {
    const BoundedPack<float> result(at<BoundedPack<float>>(in, x, y, z));
    const double largest = std::abs(result[0]) + result.bound;
    return result.bound + rounding_of<float>(result[0]) + stored_unit<S> * largest +
           stored_least<S>;
  }

private:
  template <class V>
  [[nodiscard]] V at(Inputs<S> in, Index x, Index y, Index z) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return V(static_cast<const K&>(kernel_)(
          StoredReference<V, S>{in[I].data + in[I].at(x, y, z), in[I].row, in[I].plane}...));
    }
    (std::make_index_sequence<inputs_of<K>>{});
  }

  Stored<K> kernel_;
};

} // namespace detail

/// K on fields of S.
template <class S, class K>
[[nodiscard]] std::shared_ptr<const CheckedKernel<S>> stored(const K& kernel) {
  return std::make_shared<detail::StoredOf<K, S>>(kernel);
}

} // namespace ridge::stencil
