// Operations of expressions: every operator once, on whole site tensors. A complex product takes 6,
// a complex sum 2; an element of a product of matrices adds each of its terms to what there is.
#pragma once

#include <ridge/lattice/expression.hpp>

namespace ridge::lattice {

namespace detail {

template <class N>
inline constexpr double sum_flops = is_complex<N> ? 2 : 1;

/// Operations of a * b.
template <class A, class B>
struct ProductFlops {
  static constexpr double value = is_complex<A> && is_complex<B>   ? 6
                                  : is_complex<A> || is_complex<B> ? 2
                                                                   : 1;
};
template <class A, class B>
requires(depth_of<A> < depth_of<B>) struct ProductFlops<A, B> {
  using Inner = typename SiteTraits<B>::Inner;
  static constexpr double value =
      components_of<B> / components_of<Inner> * ProductFlops<A, Inner>::value;
};
template <class A, class B>
requires(depth_of<A> > depth_of<B>) struct ProductFlops<A, B> {
  using Inner = typename SiteTraits<A>::Inner;
  static constexpr double value =
      components_of<A> / components_of<Inner> * ProductFlops<Inner, B>::value;
};
/// Operations of one term of an element, and of adding it.
template <class E, class F>
inline constexpr double term_flops =
    ProductFlops<E, F>::value +
    components_of<ProductOf<E, F>>* sum_flops<NumberOf<ProductOf<E, F>>>;
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) struct ProductFlops<Matrix<E, N>, Matrix<F, N>> {
  static constexpr double value = N * N * N * term_flops<E, F>;
};
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) struct ProductFlops<Matrix<E, N>, Vector<F, N>> {
  static constexpr double value = N * N * term_flops<E, F>;
};

/// Operations of a site; 0 for nodes that do not compute.
template <class E>
struct Flops {
  static constexpr double value = 0;
};
template <class Op, class A, class B>
struct Flops<Combined<Op, A, B>> {
  using Tensor = typename A::Tensor;
  static constexpr double value =
      Flops<A>::value + Flops<B>::value + components_of<Tensor> * sum_flops<NumberOf<Tensor>>;
};
template <class A, class B>
struct Flops<Times<A, B>> {
  static constexpr double value = Flops<A>::value + Flops<B>::value +
                                  ProductFlops<typename A::Tensor, typename B::Tensor>::value;
};
template <class F, class A>
struct Flops<Applied<F, A>> {
  static constexpr double value = Flops<A>::value;
};
template <class A>
struct Flops<Applied<Trace, A>> {
  using Tensor = typename A::Tensor;
  static constexpr double value =
      Flops<A>::value + (Diagonal<Tensor>::count - 1) * sum_flops<NumberOf<Tensor>>;
};
template <class A>
struct Flops<Applied<LocalNorm2, A>> {
  static constexpr double value = Flops<A>::value + 2 * reals_of<typename A::Tensor> - 1;
};
template <class A>
struct Flops<Shifted<A>> {
  static constexpr double value = Flops<A>::value;
};

} // namespace detail

/// Operations that an expression takes at a site.
template <class E>
inline constexpr double flops_of = detail::Flops<E>::value;

inline constexpr const char* flops_convention = "flops: every operator once, on whole site tensors";

} // namespace ridge::lattice
