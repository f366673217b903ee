// The operators and functions that make expressions.
#pragma once

#include <ridge/lattice/expression.hpp>

namespace ridge::lattice {

namespace detail {

template <class X>
struct OperandOf {
  static constexpr bool is = is_node<X>;
  static constexpr bool is_number = std::is_arithmetic_v<X>;
};
template <class S>
struct OperandOf<Field<S>> {
  static constexpr bool is = true, is_number = false;
};
template <class T>
struct OperandOf<Complex<T>> {
  static constexpr bool is = false, is_number = true;
};

template <class S>
Leaf<S> node(const Field<S>& x) {
  return {{}, x.view(), &x.label()};
}
template <class E>
requires is_node<E>
const E& node(const E& e) {
  return e;
}
template <class X>
using NodeOf = std::remove_cvref_t<decltype(node(std::declval<const X&>()))>;

/// A number in the precision of the field it meets.
template <class Real, class N>
auto number(const N& n) {
  if constexpr (is_complex<N>) {
    return Number<Complex<Real>>{{}, {static_cast<Real>(n.re), static_cast<Real>(n.im)}};
  } else {
    return Number<Real>{{}, static_cast<Real>(n)};
  }
}

} // namespace detail

/// Fields and expressions of them.
template <class X>
concept Operand = detail::OperandOf<std::remove_cvref_t<X>>::is;
/// Real and complex numbers.
template <class X>
concept Factor = detail::OperandOf<std::remove_cvref_t<X>>::is_number;

namespace detail {

struct Sum {
  template <class V>
  static RIDGE_FN V of(const V& a, const V& b) {
    return a + b;
  }
};
struct Difference {
  template <class V>
  static RIDGE_FN V of(const V& a, const V& b) {
    return a - b;
  }
};

} // namespace detail

template <Operand A, Operand B>
auto operator+(const A& a, const B& b) {
  using NA = detail::NodeOf<A>;
  using NB = detail::NodeOf<B>;
  static_assert(std::is_same_v<typename NA::Tensor, typename NB::Tensor>,
                "only equal site tensors can be added");
  return Combined<detail::Sum, NA, NB>{{}, detail::node(a), detail::node(b)};
}
template <Operand A, Operand B>
auto operator-(const A& a, const B& b) {
  using NA = detail::NodeOf<A>;
  using NB = detail::NodeOf<B>;
  static_assert(std::is_same_v<typename NA::Tensor, typename NB::Tensor>,
                "only equal site tensors can be subtracted");
  return Combined<detail::Difference, NA, NB>{{}, detail::node(a), detail::node(b)};
}
template <Operand A, Operand B>
auto operator*(const A& a, const B& b) {
  return Times<detail::NodeOf<A>, detail::NodeOf<B>>{{}, detail::node(a), detail::node(b)};
}
template <Factor N, Operand A>
auto operator*(const N& n, const A& a) {
  using NA = detail::NodeOf<A>;
  const auto factor = detail::number<RealOf<typename NA::Tensor>>(n);
  return Times<std::remove_cvref_t<decltype(factor)>, NA>{{}, factor, detail::node(a)};
}
template <Operand A, Factor N>
auto operator*(const A& a, const N& n) {
  return n * a;
}
template <Operand A>
auto operator-(const A& a) {
  return -1.0 * a;
}

namespace detail {

struct Adjoint {
  template <class S>
  using Of = S;
  static constexpr bool in_place = false;
  template <class S, class F>
  static RIDGE_FN auto component(const F& a, int c) {
    return adj_number(a(Transposed<S>::component(c)));
  }
  template <class V>
  static RIDGE_FN V adj_number(const V& v) {
    return v;
  }
  template <class V>
  static RIDGE_FN Complex<V> adj_number(const Complex<V>& v) {
    return conj(v);
  }
};
struct Conjugate {
  template <class S>
  using Of = S;
  static constexpr bool in_place = true;
  template <class S, class F>
  static RIDGE_FN auto component(const F& a, int c) {
    return Adjoint::adj_number(a(c));
  }
};
struct Transpose {
  template <class S>
  using Of = S;
  static constexpr bool in_place = false;
  template <class S, class F>
  static RIDGE_FN auto component(const F& a, int c) {
    return a(Transposed<S>::component(c));
  }
};
struct Trace {
  template <class S>
  using Of = NumberOf<S>;
  static constexpr bool in_place = false;
  template <class S, class F>
  static RIDGE_FN auto component(const F& a, int /*c*/) {
    auto sum = a(Diagonal<S>::component(0));
    for (int k = 1; k < Diagonal<S>::count; ++k)
      sum = sum + a(Diagonal<S>::component(k));
    return sum;
  }
};
struct RealPart {
  template <class S>
  using Of = RealOf<S>;
  static constexpr bool in_place = false;
  template <class S, class F>
  static RIDGE_FN auto component(const F& a, int c) {
    return a(c).re;
  }
};
struct LocalNorm2 {
  template <class S>
  using Of = RealOf<S>;
  static constexpr bool in_place = false;
  template <class V>
  static RIDGE_FN V square(const V& v) {
    return v * v;
  }
  template <class V>
  static RIDGE_FN V square(const Complex<V>& v) {
    return v.re * v.re + v.im * v.im;
  }
  template <class S, class F>
  static RIDGE_FN auto component(const F& a, int /*c*/) {
    auto sum = square(a(0));
    for (int c = 1; c < components_of<S>; ++c)
      sum = sum + square(a(c));
    return sum;
  }
};

template <class F, class A>
auto apply(const A& a) {
  return Applied<F, NodeOf<A>>{{}, node(a)};
}

} // namespace detail

/// The adjoint of each level of a nest of matrices; the conjugate of numbers.
template <Operand A>
auto adj(const A& a) {
  return detail::apply<detail::Adjoint>(a);
}
/// The conjugate of every component.
template <Operand A>
auto conj(const A& a) {
  return detail::apply<detail::Conjugate>(a);
}
template <Operand A>
auto transpose(const A& a) {
  return detail::apply<detail::Transpose>(a);
}
/// The trace over every level of a nest of matrices: a field of numbers.
template <Operand A>
auto trace(const A& a) {
  return detail::apply<detail::Trace>(a);
}
/// The real part of a field of complex numbers.
template <Operand A>
auto real(const A& a) {
  static_assert(depth_of<typename detail::NodeOf<A>::Tensor> == 0, "real() is of numbers");
  return detail::apply<detail::RealPart>(a);
}
/// The squares of a site's real numbers: a field of real numbers.
template <Operand A>
auto local_norm2(const A& a) {
  return detail::apply<detail::LocalNorm2>(a);
}
/// x at the site `by` further along dimension d, around the lattice.
template <Operand A>
auto shift(const A& a, int d, int by) {
  return Shifted<detail::NodeOf<A>>{{}, detail::node(a), d, by};
}

} // namespace ridge::lattice
