// Arithmetic of site tensors. Products follow the nest: nests of equal depth multiply level by
// level (matrix times matrix, matrix times vector); a nest of less depth multiplies each element of
// the outer levels of the other, so that a colour matrix acts on every spin component of a spinor.
#pragma once

#include <ridge/lattice/tensor.hpp>

#include <utility>

namespace ridge::lattice {

/// True for Complex, Vector and Matrix.
template <class S>
inline constexpr bool is_tensor = false;
template <class V>
inline constexpr bool is_tensor<Complex<V>> = true;
template <class E, int N>
inline constexpr bool is_tensor<Vector<E, N>> = true;
template <class E, int N>
inline constexpr bool is_tensor<Matrix<E, N>> = true;
/// True for tensors and the real numbers in them.
template <class S>
inline constexpr bool is_site = is_tensor<S> || is_pack<S> || std::is_arithmetic_v<S>;

// Complex numbers.

template <class V>
RIDGE_FN Complex<V> operator+(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
RIDGE_FN Complex<V> operator-(const Complex<V>& a, const Complex<V>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V>
RIDGE_FN Complex<V> operator-(const Complex<V>& a) {
  return {-a.re, -a.im};
}
template <class V>
RIDGE_FN Complex<V> operator*(const Complex<V>& a, const Complex<V>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class V>
RIDGE_FN Complex<V> operator*(const std::type_identity_t<V>& a, const Complex<V>& b) {
  return {a * b.re, a * b.im};
}
template <class V>
RIDGE_FN Complex<V> operator*(const Complex<V>& a, const std::type_identity_t<V>& b) {
  return {a.re * b, a.im * b};
}
template <class V>
RIDGE_FN Complex<V> conj(const Complex<V>& a) {
  return {a.re, -a.im};
}
/// i times a.
template <class V>
RIDGE_FN Complex<V> times_i(const Complex<V>& a) {
  return {-a.im, a.re};
}

// Element by element.

template <class E, int N>
RIDGE_FN Vector<E, N> operator+(const Vector<E, N>& a, const Vector<E, N>& b) {
  Vector<E, N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    c.e[i] = a.e[i] + b.e[i];
  return c;
}
template <class E, int N>
RIDGE_FN Vector<E, N> operator-(const Vector<E, N>& a, const Vector<E, N>& b) {
  Vector<E, N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    c.e[i] = a.e[i] - b.e[i];
  return c;
}
template <class E, int N>
RIDGE_FN Matrix<E, N> operator+(const Matrix<E, N>& a, const Matrix<E, N>& b) {
  Matrix<E, N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N * N; ++i)
    c.e[i] = a.e[i] + b.e[i];
  return c;
}
template <class E, int N>
RIDGE_FN Matrix<E, N> operator-(const Matrix<E, N>& a, const Matrix<E, N>& b) {
  Matrix<E, N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N * N; ++i)
    c.e[i] = a.e[i] - b.e[i];
  return c;
}
template <class S>
requires is_tensor<S> RIDGE_FN S& operator+=(S& a, const S& b) {
  return a = a + b;
}
template <class S>
requires is_tensor<S> RIDGE_FN S& operator-=(S& a, const S& b) {
  return a = a - b;
}

// Products.

/// Numbers times nests, nests times numbers, and nests of unequal depth.
template <class A, class E, int N>
requires(is_site<A>&& depth_of<A> <= depth_of<E>) RIDGE_FN auto operator*(const A& a,
                                                                          const Vector<E, N>& b) {
  Vector<decltype(a * b.e[0]), N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    c.e[i] = a * b.e[i];
  return c;
}
template <class A, class E, int N>
requires(is_site<A>&& depth_of<A> <= depth_of<E>) RIDGE_FN auto operator*(const A& a,
                                                                          const Matrix<E, N>& b) {
  Matrix<decltype(a * b.e[0]), N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N * N; ++i)
    c.e[i] = a * b.e[i];
  return c;
}
template <class E, int N, class B>
requires(is_site<B>&& depth_of<B> <= depth_of<E>) RIDGE_FN auto operator*(const Vector<E, N>& a,
                                                                          const B& b) {
  Vector<decltype(a.e[0] * b), N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i)
    c.e[i] = a.e[i] * b;
  return c;
}
template <class E, int N, class B>
requires(is_site<B>&& depth_of<B> <= depth_of<E>) RIDGE_FN auto operator*(const Matrix<E, N>& a,
                                                                          const B& b) {
  Matrix<decltype(a.e[0] * b), N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N * N; ++i)
    c.e[i] = a.e[i] * b;
  return c;
}
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) RIDGE_FN auto operator*(const Matrix<E, N>& a,
                                                             const Matrix<F, N>& b) {
  Matrix<decltype(a.e[0] * b.e[0]), N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    RIDGE_UNROLL
    for (int j = 0; j < N; ++j) {
      auto sum = a(i, 0) * b(0, j);
      RIDGE_UNROLL
      for (int k = 1; k < N; ++k)
        sum = sum + a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  }
  return c;
}
template <class E, class F, int N>
requires(depth_of<E> == depth_of<F>) RIDGE_FN auto operator*(const Matrix<E, N>& a,
                                                             const Vector<F, N>& b) {
  Vector<decltype(a.e[0] * b.e[0]), N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    auto sum = a(i, 0) * b.e[0];
    RIDGE_UNROLL
    for (int k = 1; k < N; ++k)
      sum = sum + a(i, k) * b.e[k];
    c.e[i] = sum;
  }
  return c;
}

// Adjoint, trace, inner product.

/// The conjugate of a number.
template <class V>
requires(is_site<V> && !is_tensor<V>) RIDGE_FN V adj(const V& a) {
  return a;
}
template <class V>
RIDGE_FN Complex<V> adj(const Complex<V>& a) {
  return conj(a);
}
/// The adjoint of each level of a nest of matrices.
template <class E, int N>
RIDGE_FN Matrix<E, N> adj(const Matrix<E, N>& a) {
  Matrix<E, N> c;
  RIDGE_UNROLL
  for (int i = 0; i < N; ++i) {
    RIDGE_UNROLL
    for (int j = 0; j < N; ++j)
      c(i, j) = adj(a(j, i));
  }
  return c;
}
template <class V>
requires(is_site<V>&& depth_of<V> == 0) RIDGE_FN V trace(const V& a) {
  return a;
}
/// The trace over every level.
template <class E, int N>
RIDGE_FN auto trace(const Matrix<E, N>& a) {
  auto sum = trace(a(0, 0));
  RIDGE_UNROLL
  for (int i = 1; i < N; ++i)
    sum = sum + trace(a(i, i));
  return sum;
}

} // namespace ridge::lattice
