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
  const View<const S>& field;
  const View<const S>* low; ///< of a field in fp32 its other halves; null of one in 16 bits
  Index x, y, z;
  V operator()(int dx, int dy = 0, int dz = 0) const {
    const S own = field.data[field.at(x + dx, y + dy, z + dz)];
    const double number =
        low == nullptr ? widened(own) : joined(own, low->data[low->at(x + dx, y + dy, z + dz)]);
    if constexpr (std::is_constructible_v<V, double, double>) {
      return V(number, 0.0);
    } else {
      return V(number);
    }
  }
};

template <class K, class S, unsigned Wide>
class StoredOf final : public CheckedKernel<S> {
public:
  explicit StoredOf(const K& kernel)
      : CheckedKernel<S>(traits_of<Stored<K, Wide>, S>(), 1), kernel_{kernel} {}

  Program bind(Queue& queue, Inputs<S> in, const View<S>& out, const Schedule* schedule,
               std::string_view name) const override {
    return bind_call(queue, kernel_, in, out, schedule, name);
  }
  [[nodiscard]] const std::type_info& call_type() const override {
    return typeid(Call<Stored<K, Wide>, S>);
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
      return V(
          static_cast<const K&>(kernel_)(StoredReference<V, S>{in[I], low_of<I>(in), x, y, z}...));
    }
    (std::make_index_sequence<inputs_of<K>>{});
  }
  /// Where the low halves of an input are, if it stays fp32.
  template <std::size_t I>
  [[nodiscard]] static const View<const S>* low_of(Inputs<S> in) {
    if constexpr ((Wide >> I & 1U) == 0) {
      (void)in;
      return nullptr;
    } else {
      return &in[inputs_of<K> + bits_in(Wide & ((1U << I) - 1))];
    }
  }

  Stored<K, Wide> kernel_;
};

} // namespace detail

/// K on fields of S, but for the inputs of Stored<K, Wide> that stay fp32.
template <class S, unsigned Wide = 0, class K>
[[nodiscard]] std::shared_ptr<const CheckedKernel<S>> stored(const K& kernel) {
  return shared_as<detail::StoredOf<K, S, Wide>, const CheckedKernel<S>>(kernel);
}

} // namespace ridge::stencil
