// Components of products and functions of site tensors, without their whole operands.
#pragma once

#include <ridge/lattice/tensor.hpp>

#include <utility>

namespace ridge::lattice {

template <class A, class B>
using ProductOf = std::remove_cvref_t<decltype(std::declval<A>() * std::declval<B>())>;

/// Component `c` of a * b, where a(i) is component i of a, those of this operand beginning at a0.
template <class A, class B>
struct Product {
  // Numbers.
  template <class FA, class FB>
  static RIDGE_FN auto component(const FA& a, int a0, const FB& b, int b0, int /*c*/) {
    return a(a0) * b(b0);
  }
};
/// A nest of less depth times each element of the outer level of b.
template <class A, class B>
requires(depth_of<A> < depth_of<B>) struct Product<A, B> {
  using Inner = typename SiteTraits<B>::Inner;
  static constexpr int size = components_of<ProductOf<A, Inner>>;
  template <class FA, class FB>
  static RIDGE_FN auto component(const FA& a, int a0, const FB& b, int b0, int c) {
    return Product<A, Inner>::component(a, a0, b, b0 + c / size * components_of<Inner>, c % size);
  }
};
template <class A, class B>
requires(depth_of<A> > depth_of<B>) struct Product<A, B> {
  using Inner = typename SiteTraits<A>::Inner;
  static constexpr int size = components_of<ProductOf<Inner, B>>;
  template <class FA, class FB>
  static RIDGE_FN auto component(const FA& a, int a0, const FB& b, int b0, int c) {
    return Product<Inner, B>::component(a, a0 + c / size * components_of<Inner>, b, b0, c % size);
  }
};
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) struct Product<Matrix<E, N>, Matrix<F, N>> {
  static constexpr int size = components_of<ProductOf<E, F>>;
  template <class FA, class FB>
  static RIDGE_FN auto component(const FA& a, int a0, const FB& b, int b0, int c) {
    const int i = c / size / N;
    const int j = c / size % N;
    const auto term = [&](int k) {
      return Product<E, F>::component(a, a0 + (i * N + k) * components_of<E>, b,
                                      b0 + (k * N + j) * components_of<F>, c % size);
    };
    auto sum = term(0);
    RIDGE_UNROLL
    for (int k = 1; k < N; ++k)
      sum = sum + term(k);
    return sum;
  }
};
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) struct Product<Matrix<E, N>, Vector<F, N>> {
  static constexpr int size = components_of<ProductOf<E, F>>;
  template <class FA, class FB>
  static RIDGE_FN auto component(const FA& a, int a0, const FB& b, int b0, int c) {
    const auto term = [&](int k) {
      return Product<E, F>::component(a, a0 + (c / size * N + k) * components_of<E>, b,
                                      b0 + k * components_of<F>, c % size);
    };
    auto sum = term(0);
    RIDGE_UNROLL
    for (int k = 1; k < N; ++k)
      sum = sum + term(k);
    return sum;
  }
};

/// The component of the adjoint's operand that its component c conjugates.
template <class S>
struct Transposed {
  static RIDGE_FN int component(int c) { return c; }
};
template <class E, int N>
struct Transposed<Matrix<E, N>> {
  static RIDGE_FN int component(int c) {
    constexpr int size = components_of<E>;
    const int i = c / size / N;
    const int j = c / size % N;
    return (j * N + i) * size + Transposed<E>::component(c % size);
  }
};
/// Components on the diagonal of every level.
template <class S>
struct Diagonal {
  static constexpr int count = 1;
  static RIDGE_FN int component(int /*k*/) { return 0; }
};
template <class E, int N>
struct Diagonal<Matrix<E, N>> {
  static constexpr int count = N * Diagonal<E>::count;
  static RIDGE_FN int component(int k) {
    return k / Diagonal<E>::count * (N + 1) * components_of<E> +
           Diagonal<E>::component(k % Diagonal<E>::count);
  }
};

} // namespace ridge::lattice
