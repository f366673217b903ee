// Field algebra: expressions of fields, evaluated site by site in one launch without temporaries.
//
//   assign<Here>(queue, z, a * x + adj(u) * y);      in a kernel source, see evaluate.hpp
//
// An expression is a tree of nodes, each of which gives component `c` of its tensor at a site. What
// is not asked for is not computed: one component of a product reads a row and a column. `First` is
// the site type of the first field in it.
#pragma once

#include <ridge/lattice/product.hpp>
#include <ridge/lattice/site_view.hpp>

#include <type_traits>

namespace ridge::lattice {

namespace detail {
/// Throws UsageError when a field of an expression is on another lattice than the result, or is the
/// result and needed at other places than where it is overwritten.
void check_operand(const FieldLabel& result, const void* result_data, const FieldLabel& operand,
                   const void* operand_data, bool in_place);
} // namespace detail

/// The base of every node.
struct Node {};
template <class E>
inline constexpr bool is_node = std::is_base_of_v<Node, E>;

/// Tensors of so few components are computed in one piece, so that what they share is loaded once.
inline constexpr int few_components = 9;

/// A field in an expression.
template <class S>
struct Leaf : Node {
  using Tensor = S;
  using First = S;
  SiteView<const S> view;
  const FieldLabel* label; ///< on the host; kernels leave it alone

  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    return at.load(view, c);
  }
  /// Calls `f(leaf, in_place)` for each field: whether only the same component of the same site of
  /// it is read.
  template <class F>
  void for_each_field(const F& f, bool in_place) const {
    f(*this, in_place);
  }
};

/// A number that multiplies.
template <class N>
struct Number : Node {
  using Tensor = N;
  using First = void;
  N value;
  template <class At>
  RIDGE_FN auto component(const At& /*at*/, int /*c*/) const {
    using V = typename At::template Value<RealOf<N>>;
    if constexpr (is_complex<N>) {
      return Complex<V>(V(value.re), V(value.im));
    } else {
      return V(value);
    }
  }
  template <class F>
  void for_each_field(const F& /*f*/, bool /*in_place*/) const {}
};

/// A sum or a difference, as Op says: of the same component of two tensors.
template <class Op, class A, class B>
struct Combined : Node {
  using Tensor = typename A::Tensor;
  using First = typename A::First;
  A a;
  B b;
  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    return Op::of(a.component(at, c), b.component(at, c));
  }
  template <class F>
  void for_each_field(const F& f, bool in_place) const {
    a.for_each_field(f, in_place);
    b.for_each_field(f, in_place);
  }
};
template <class A, class B>
struct Times : Node {
  using Tensor = ProductOf<typename A::Tensor, typename B::Tensor>;
  using First =
      std::conditional_t<std::is_void_v<typename A::First>, typename B::First, typename A::First>;
  A a;
  B b;
  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    return Product<typename A::Tensor, typename B::Tensor>::component(
        [&](int i) { return a.component(at, i); }, 0, [&](int i) { return b.component(at, i); }, 0,
        c);
  }
  template <class F>
  void for_each_field(const F& f, bool in_place) const {
    // A product with a number reads the other operand's component where it stores its own.
    constexpr int depth_a = depth_of<typename A::Tensor>;
    constexpr int depth_b = depth_of<typename B::Tensor>;
    a.for_each_field(f, in_place && depth_b == 0);
    b.for_each_field(f, in_place && depth_a == 0);
  }
};

/// Functions of one tensor. `F` has `Of<Tensor>`, `in_place`, and
/// `component<Tensor>(operand, c)`, where operand(i) is component i.
template <class F, class A>
struct Applied : Node {
  using Tensor = typename F::template Of<typename A::Tensor>;
  using First = typename A::First;
  A a;
  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    return F::template component<typename A::Tensor>([&](int i) { return a.component(at, i); }, c);
  }
  template <class Visit>
  void for_each_field(const Visit& visit, bool in_place) const {
    a.for_each_field(visit, in_place && F::in_place);
  }
};

/// An expression at the site `by` further along dimension d.
template <class A>
struct Shifted : Node {
  using Tensor = typename A::Tensor;
  using First = typename A::First;
  A a;
  int d, by;
  template <class At>
  RIDGE_FN auto component(const At& at, int c) const {
    return a.component(at.shifted(d, by), c);
  }
  template <class F>
  void for_each_field(const F& f, bool /*in_place*/) const {
    a.for_each_field(f, false);
  }
};

} // namespace ridge::lattice

#include <ridge/lattice/expression_operators.hpp>
