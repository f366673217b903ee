// Products of a matrix of numbers with the outermost vectors or matrices of sites, such as those of
// gamma matrices with spinors.
#pragma once

#include <ridge/lattice/expression_flops.hpp>

namespace ridge::lattice {

/// m x, where component i of x is a site's i-th row.
template <class A, int N>
struct SpinProduct : Node {
  using Tensor = typename A::Tensor;
  using First = typename A::First;
  using Real = RealOf<Tensor>;
  A a;
  Complex<Real> m[N * N];
  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    using V = typename At::template Value<Real>;
    constexpr int row = components_of<Tensor> / N;
    const auto term = [&](int k) {
      const Complex<Real>& z = m[c / row * N + k];
      return Complex<V>(V(z.re), V(z.im)) * a.component(at, k * row + c % row);
    };
    auto sum = term(0);
    RIDGE_UNROLL
    for (int k = 1; k < N; ++k)
      sum = sum + term(k);
    return sum;
  }
  template <class F>
  void for_each_field(const F& f, bool /*in_place*/) const {
    a.for_each_field(f, false);
  }
};

namespace detail {
template <class A, int N>
struct Flops<SpinProduct<A, N>> {
  static constexpr double value = Flops<A>::value + 8.0 * N * components_of<typename A::Tensor>;
};
} // namespace detail

/// The product of the 4x4 matrix `m`, row by row, with x.
template <Operand A, class... M>
requires(sizeof...(M) == 16) auto spin(const A& x, const M&... m) {
  using NA = detail::NodeOf<A>;
  using Real = RealOf<typename NA::Tensor>;
  return SpinProduct<NA, 4>{
      {}, detail::node(x), {Complex<Real>(static_cast<Real>(m.re), static_cast<Real>(m.im))...}};
}

} // namespace ridge::lattice
