// Reductions of expressions: what each site adds to the result.
#pragma once

#include <ridge/lattice/accumulator.hpp>
#include <ridge/lattice/binned_sum.hpp>
#include <ridge/lattice/expression.hpp>
#include <ridge/lattice/reduction.hpp>
#include <ridge/lattice/rounded.hpp>

#include <type_traits>

namespace ridge::lattice::detail {

/// An expression whose reductions are to be reproducible.
template <class E>
struct Reproducible {
  E e;
};
template <class E>
inline constexpr bool is_reproducible = false;
template <class E>
inline constexpr bool is_reproducible<Reproducible<E>> = true;

template <class E>
const E& node(const Reproducible<E>& r) {
  return r.e;
}

struct Nothing {
  template <class F>
  void for_each_field(const F& /*f*/, bool /*in_place*/) const {}
};

/// The part of a site in the result: `parts` doubles for each of `keys`. B is the second expression
/// of inner products, Nothing otherwise. Where `Exact` the same bits on every device.
template <class R, bool Exact, class A, class B = Nothing>
struct Summand {
  using Tensor = typename A::Tensor;
  using First = typename A::First;
  static constexpr bool exact = Exact;
  static constexpr bool partial = false; ///< whether results are accumulators rather than sums
  template <class V>
  using Accumulator = std::conditional_t<Exact, BinnedSum<V>, typename R::template Accumulator<V>>;
  static constexpr int components = components_of<Tensor>;
  static constexpr int keys = R::by_component ? components : 1;
  static constexpr int parts = R::parts != Parts::joined && is_complex<Tensor> ? 2 : 1;
  static constexpr const char* name = R::name;
  R reduction;
  A a;
  B b;

  template <class F>
  void for_each_field(const F& f, bool in_place) const {
    a.for_each_field(f, in_place);
    b.for_each_field(f, in_place);
  }

  /// The part that component `c` adds; V is double, or a pack of them.
  template <class V, class At>
  RIDGE_FN void find(const At& at, int c, V* terms) const {
    if constexpr (Exact) {
      Rounded<V> rounded[parts];
      find_in(RoundedSite<At>(at), c, rounded);
      RIDGE_UNROLL
      for (int p = 0; p < parts; ++p)
        terms[p] = rounded[p].v;
    } else {
      find_in(at, c, terms);
    }
  }

private:
  /// V as before, or rounded numbers of that type.
  template <class V, class At>
  RIDGE_FN void find_in(const At& at, int c, V* terms) const {
    const auto x = a.component(at, c);
    if constexpr (std::is_same_v<B, Nothing>) {
      if constexpr (is_complex<Tensor>) {
        const V re = in_double(x.re), im = in_double(x.im);
        put(term_of(reduction, re), term_of(reduction, im), terms);
      } else {
        const V value = in_double(x);
        terms[0] = term_of(reduction, value);
      }
    } else {
      const auto y = b.component(at, c);
      if constexpr (R::parts == Parts::crossed && is_complex<Tensor>) {
        const V xr = in_double(x.re), xi = in_double(x.im);
        const V yr = in_double(y.re), yi = in_double(y.im);
        terms[0] = term_of(reduction, xr, yr) + term_of(reduction, xi, yi);
        terms[1] = term_of(reduction, xr, yi) - term_of(reduction, xi, yr);
      } else if constexpr (is_complex<Tensor>) {
        const V re = term_of(reduction, V(in_double(x.re)), V(in_double(y.re)));
        const V im = term_of(reduction, V(in_double(x.im)), V(in_double(y.im)));
        put(re, im, terms);
      } else {
        terms[0] = term_of(reduction, V(in_double(x)), V(in_double(y)));
      }
    }
  }
  template <class V>
  static RIDGE_FN void put(const V& re, const V& im, V* terms) {
    if constexpr (parts == 2) {
      terms[0] = re;
      terms[1] = im;
    } else {
      static_assert(adds_up<R>, "parts of complex numbers go to one result where it is a sum");
      terms[0] = re + im;
    }
  }

  template <class X>
  static RIDGE_FN auto in_double(const Rounded<X>& x) {
    return rounded(in_double(x.v));
  }
  template <class X>
  static RIDGE_FN auto in_double(const X& x) {
    if constexpr (!is_pack<X>) {
      return static_cast<double>(x);
    } else if constexpr (sizeof(Element<X>) == 8) {
      return x;
    } else {
      return widen(x);
    }
  }
};

template <class X>
inline constexpr bool is_exact = is_reproducible<std::remove_cvref_t<X>>;

template <class R, class X>
[[nodiscard]] auto summand_of(const R& reduction, const X& x) {
  static_assert(R::inputs == 1 && !R::stores, "a reduction of one expression");
  return Summand<R, is_exact<X>, NodeOf<X>>{reduction, node(x), {}};
}
template <class R, class X, class Y>
[[nodiscard]] auto summand_of(const R& reduction, const X& x, const Y& y) {
  static_assert(R::inputs == 2 && !R::stores, "a reduction of two expressions");
  using A = NodeOf<X>;
  using B = NodeOf<Y>;
  static_assert(std::is_same_v<typename A::Tensor, typename B::Tensor>,
                "reductions of two expressions are of equal site tensors");
  return Summand < R, is_exact<X> || is_exact<Y>, A, B > {reduction, node(x), node(y)};
}
template <class R, class... X>
using SummandOf = decltype(summand_of(std::declval<R>(), std::declval<const X&>()...));

/// Doubles of a result.
template <class S>
inline constexpr int words_of = S::partial ? S::template Accumulator<double>::words : 1;

template <class X>
inline constexpr bool is_field = false;
template <class S>
inline constexpr bool is_field<Field<S>> = true;

} // namespace ridge::lattice::detail

namespace ridge::lattice {

/// The expression, for reductions that give the same bits everywhere.
template <Operand X>
auto reproducible(const X& x) {
  return detail::Reproducible<detail::NodeOf<X>>{detail::node(x)};
}

/// Operands of reductions: fields, expressions, and reproducible ones.
template <class X>
concept Reducible = Operand<X> || detail::is_exact<X>;

/// Types of the sum of an expression, and of the inner product of two.
template <class X>
using SumOf = Over<typename detail::NodeOf<X>::Tensor, double>;
template <class X>
using InnerProductOf = Over<NumberOf<typename detail::NodeOf<X>::Tensor>, double>;

} // namespace ridge::lattice
