// The adjoints of products and traces of fields: what gradients of expressions are made of.
//
// With L a real function of complex numbers z = x + iy, a gradient is dL/dx + i dL/dy. Where w is
// that by c = a * b, it is by_left(a, b, w) by a and by_right(a, b, w) by b: sums of w conj(b) and
// of conj(a) w over the terms of the product that the number stands in.
#pragma once

#include <ridge/lattice/expression_flops.hpp>

namespace ridge::lattice {

namespace detail {

/// x, or its real part where N is real.
template <class N, class V>
RIDGE_FN auto as_number_of(const V& x) {
  if constexpr (!is_complex<N> && is_tensor<V>) {
    return x.re;
  } else {
    return x;
  }
}

/// The sum of term(0) to term(N - 1).
template <int N, class F>
RIDGE_FN auto sum_of_terms(const F& term) {
  auto sum = term(0);
  RIDGE_UNROLL
  for (int k = 1; k < N; ++k)
    sum = sum + term(k);
  return sum;
}

/// Component c of the gradients by a and b of a * b, where w(i) is component i of that by the
/// product; operands begin at w0, a0 and b0.
template <class A, class B>
struct ProductAdjoint {
  template <class FW, class FB>
  static RIDGE_FN auto left(const FW& w, int w0, const FB& b, int b0, int /*c*/) {
    return as_number_of<A>(Adjoint::adj_number(b(b0)) * w(w0));
  }
  template <class FA, class FW>
  static RIDGE_FN auto right(const FA& a, int a0, const FW& w, int w0, int /*c*/) {
    return as_number_of<B>(Adjoint::adj_number(a(a0)) * w(w0));
  }
};
template <class A, class B>
requires(depth_of<A> < depth_of<B>) struct ProductAdjoint<A, B> {
  using Inner = typename SiteTraits<B>::Inner;
  using Of = ProductAdjoint<A, Inner>;
  static constexpr int size = components_of<ProductOf<A, Inner>>, inner = components_of<Inner>;
  template <class FW, class FB>
  static RIDGE_FN auto left(const FW& w, int w0, const FB& b, int b0, int c) {
    return sum_of_terms<components_of<B> / inner>(
        [&](int i) { return Of::left(w, w0 + i * size, b, b0 + i * inner, c); });
  }
  template <class FA, class FW>
  static RIDGE_FN auto right(const FA& a, int a0, const FW& w, int w0, int c) {
    return Of::right(a, a0, w, w0 + c / inner * size, c % inner);
  }
};
template <class A, class B>
requires(depth_of<A> > depth_of<B>) struct ProductAdjoint<A, B> {
  using Inner = typename SiteTraits<A>::Inner;
  using Of = ProductAdjoint<Inner, B>;
  static constexpr int size = components_of<ProductOf<Inner, B>>, inner = components_of<Inner>;
  template <class FW, class FB>
  static RIDGE_FN auto left(const FW& w, int w0, const FB& b, int b0, int c) {
    return Of::left(w, w0 + c / inner * size, b, b0, c % inner);
  }
  template <class FA, class FW>
  static RIDGE_FN auto right(const FA& a, int a0, const FW& w, int w0, int c) {
    return sum_of_terms<components_of<A> / inner>(
        [&](int i) { return Of::right(a, a0 + i * inner, w, w0 + i * size, c); });
  }
};
/// Columns of the product of matrices and what has as many rows.
template <class E, class F, int N, int Columns>
struct MatrixAdjoint {
  using Of = ProductAdjoint<E, F>;
  static constexpr int of_e = components_of<E>, of_f = components_of<F>,
                       size = components_of<ProductOf<E, F>>;
  template <class FW, class FB>
  static RIDGE_FN auto left(const FW& w, int w0, const FB& b, int b0, int c) {
    const int i = c / of_e / N;
    const int k = c / of_e % N;
    return sum_of_terms<Columns>([&](int j) {
      return Of::left(w, w0 + (i * Columns + j) * size, b, b0 + (k * Columns + j) * of_f, c % of_e);
    });
  }
  template <class FA, class FW>
  static RIDGE_FN auto right(const FA& a, int a0, const FW& w, int w0, int c) {
    const int k = c / of_f / Columns;
    const int j = c / of_f % Columns;
    return sum_of_terms<N>([&](int i) {
      return Of::right(a, a0 + (i * N + k) * of_e, w, w0 + (i * Columns + j) * size, c % of_f);
    });
  }
};
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) struct ProductAdjoint<Matrix<E, N>, Matrix<F, N>>
    : MatrixAdjoint<E, F, N, N> {
};
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) struct ProductAdjoint<Matrix<E, N>, Vector<F, N>>
    : MatrixAdjoint<E, F, N, 1> {
};

} // namespace detail

/// The gradient by A of A * b, where that by the product is w.
template <class A, class B, class W>
struct ByLeft : Node {
  using Tensor = A;
  using First = typename W::First;
  B b;
  W w;
  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    return detail::ProductAdjoint<A, typename B::Tensor>::left(
        [&](int i) { return w.component(at, i); }, 0, [&](int i) { return b.component(at, i); }, 0,
        c);
  }
  template <class F>
  void for_each_field(const F& f, bool /*in_place*/) const {
    w.for_each_field(f, false);
    b.for_each_field(f, false);
  }
};

/// The gradient by B of a * B, where that by the product is w.
template <class A, class B, class W>
struct ByRight : Node {
  using Tensor = B;
  using First = typename W::First;
  A a;
  W w;
  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    return detail::ProductAdjoint<typename A::Tensor, B>::right(
        [&](int i) { return a.component(at, i); }, 0, [&](int i) { return w.component(at, i); }, 0,
        c);
  }
  template <class F>
  void for_each_field(const F& f, bool /*in_place*/) const {
    w.for_each_field(f, false);
    a.for_each_field(f, false);
  }
};

namespace detail {

/// Numbers on the diagonal of S: the adjoint of the trace.
template <class S>
struct OnDiagonal {
  template <class N>
  using Of = S;
  static constexpr bool in_place = false;
  template <class N, class F>
  static RIDGE_FN auto component(const F& w, int c) {
    for (int k = 0; k < Diagonal<S>::count; ++k) {
      if (Diagonal<S>::component(k) == c) return w(0);
    }
    return zero_of(w(0));
  }
  template <class V>
  static RIDGE_FN V zero_of(const V& /*v*/) {
    return V(0);
  }
  template <class V>
  static RIDGE_FN Complex<V> zero_of(const Complex<V>& /*v*/) {
    return {V(0), V(0)};
  }
};

template <class A, class B, class W>
struct Flops<ByLeft<A, B, W>> {
  static constexpr double value =
      Flops<B>::value + Flops<W>::value + ProductFlops<A, typename B::Tensor>::value;
};
template <class A, class B, class W>
struct Flops<ByRight<A, B, W>> {
  static constexpr double value =
      Flops<A>::value + Flops<W>::value + ProductFlops<typename A::Tensor, B>::value;
};

} // namespace detail

// The operand that a gradient is by is not read: it says its tensor.

template <Operand A, Operand B, Operand W>
auto by_left(const A& /*a*/, const B& b, const W& w) {
  using T = typename detail::NodeOf<A>::Tensor;
  return ByLeft<T, detail::NodeOf<B>, detail::NodeOf<W>>{{}, detail::node(b), detail::node(w)};
}
template <Operand A, Operand B, Operand W>
auto by_right(const A& a, const B& /*b*/, const W& w) {
  using T = typename detail::NodeOf<B>::Tensor;
  return ByRight<detail::NodeOf<A>, T, detail::NodeOf<W>>{{}, detail::node(a), detail::node(w)};
}
/// The gradient by a of trace(a), where that by the trace is w.
template <Operand A, Operand W>
auto by_trace(const A& /*a*/, const W& w) {
  using T = typename detail::NodeOf<A>::Tensor;
  return Applied<detail::OnDiagonal<T>, detail::NodeOf<W>>{{}, detail::node(w)};
}

} // namespace ridge::lattice
