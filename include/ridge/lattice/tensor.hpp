// Site tensors: nests of Vector<E, N> and Matrix<E, N> over complex or real numbers.
//
// Components are numbered in order of the nest, outermost slowest, matrices by rows. The number
// type is float or double where a site is stored, a pack of the sites of a group where the cpu
// computes.
#pragma once

#include <ridge/core/pack.hpp>

#include <type_traits>

namespace ridge::lattice {

/// A complex number; `V` is float, double or a pack of them.
template <class V>
struct Complex {
  V re, im;

  Complex() = default;
  RIDGE_FN Complex(V real, V imaginary) : re(real), im(imaginary) {}
  /// A real number as a complex one.
  template <class U>
  requires std::is_convertible_v<U, V>
      RIDGE_FN Complex(U real) // NOLINT(google-explicit-constructor): every real number is one
      : re(real), im(0) {}

  friend bool operator==(const Complex&, const Complex&) = default;
};

/// N elements.
template <class E, int N>
struct Vector {
  E e[N];
  RIDGE_FN E& operator()(int i) { return e[i]; }
  RIDGE_FN const E& operator()(int i) const { return e[i]; }
  friend bool operator==(const Vector&, const Vector&) = default;
};

/// N by N elements, by rows.
template <class E, int N>
struct Matrix {
  E e[N * N];
  RIDGE_FN E& operator()(int i, int j) { return e[i * N + j]; }
  RIDGE_FN const E& operator()(int i, int j) const { return e[i * N + j]; }
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

/// Facts of a nest. `Number` is real or complex, `Real` the type of its parts, `components`
/// how many numbers, `depth` how many levels of vectors and matrices. `Over<V>` is the same nest
/// with parts of type V.
template <class S>
struct SiteTraits {
  using Number = S;
  using Real = S;
  using Inner = S;
  template <class V>
  using Over = V;
  static constexpr int components = 1, depth = 0;
  static constexpr bool complex = false;
};
template <class V>
struct SiteTraits<Complex<V>> {
  using Number = Complex<V>;
  using Real = V;
  using Inner = Complex<V>;
  template <class U>
  using Over = Complex<U>;
  static constexpr int components = 1, depth = 0;
  static constexpr bool complex = true;
};
template <class E, int N>
struct SiteTraits<Vector<E, N>> : SiteTraits<E> {
  using Inner = E;
  template <class U>
  using Over = Vector<typename SiteTraits<E>::template Over<U>, N>;
  static constexpr int components = N * SiteTraits<E>::components;
  static constexpr int depth = 1 + SiteTraits<E>::depth;
};
template <class E, int N>
struct SiteTraits<Matrix<E, N>> : SiteTraits<E> {
  using Inner = E;
  template <class U>
  using Over = Matrix<typename SiteTraits<E>::template Over<U>, N>;
  static constexpr int components = N * N * SiteTraits<E>::components;
  static constexpr int depth = 1 + SiteTraits<E>::depth;
};

template <class S>
using NumberOf = typename SiteTraits<S>::Number;
template <class S>
using RealOf = typename SiteTraits<S>::Real;
template <class S, class V>
using Over = typename SiteTraits<S>::template Over<V>;
template <class S>
inline constexpr int components_of = SiteTraits<S>::components;
template <class S>
inline constexpr int depth_of = SiteTraits<S>::depth;
template <class S>
inline constexpr bool is_complex = SiteTraits<S>::complex;
/// Real numbers of a site.
template <class S>
inline constexpr int reals_of = components_of<S>*(is_complex<S> ? 2 : 1);

/// Component `c` of a site tensor, as its number.
template <class S>
RIDGE_FN NumberOf<S>& component(S& site, int c) {
  return reinterpret_cast<NumberOf<S>*>(&site)[c];
}
template <class S>
RIDGE_FN const NumberOf<S>& component(const S& site, int c) {
  return reinterpret_cast<const NumberOf<S>*>(&site)[c];
}

/// The site types of lattice gauge theory.
template <class T>
using ColourVector = Vector<Complex<T>, 3>;
template <class T>
using ColourMatrix = Matrix<Complex<T>, 3>;
template <class T>
using Spinor = Vector<Vector<Complex<T>, 3>, 4>;
template <class T>
using Propagator = Matrix<Matrix<Complex<T>, 3>, 4>;

} // namespace ridge::lattice

#include <ridge/lattice/tensor_arithmetic.hpp>
