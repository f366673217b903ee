// Site kernels and reductions over ranks: at the sites that a rank owns, or at some of them.
//
// A kernel source, compiled once per device kind, instantiates them by name:
//
//   template struct ridge::lattice::SiteLooper<Spinor<double>, Within<Hopping>, ridge::Here>;
//   template struct ridge::lattice::SiteLooper<Matrix, Within<Stored<Matrix, Turned>>,
//   ridge::Here>;
//   template struct ridge::lattice::SiteReducer<AddedWithin<Norm2, decltype(residual(fields))>,
//   ridge::Here>;
#pragma once

#include <ridge/lattice/rank_lattice.hpp>
#include <ridge/lattice/site_call.hpp>

namespace ridge::lattice {

namespace detail {

template <class K>
struct BoundsOf {
  using Type = Choices<site_bounds>;
};
template <class K>
requires requires {
  typename K::Bounds;
}
struct BoundsOf<K> {
  using Type = typename K::Bounds;
};
template <class K>
[[nodiscard]] constexpr const char* name_of_site_kernel() {
  if constexpr (requires { K::name; }) {
    return K::name;
  } else {
    return "site loop";
  }
}
template <class K>
[[nodiscard]] constexpr double flops_of_site_kernel() {
  if constexpr (requires { K::flops; }) {
    return K::flops;
  } else {
    return 0;
  }
}

} // namespace detail

/// Sites of a box, but not of another one within it.
struct ChosenSites {
  SiteBox box;
  SiteBox without; ///< empty where all of the box is meant
  Subset subset = Subset::all;
  int odd = 0; ///< 1 where the first site of the memory is an odd one of the whole lattice

  [[nodiscard]] RIDGE_FN bool hold(const Coordinates& x) const {
    if (!box.holds(x) || without.holds(x)) return false;
    if (subset == Subset::all) return true;
    int sum = odd;
    RIDGE_UNROLL
    for (int d = 0; d < max_rank; ++d)
      sum += x[d];
    return (sum % 2 == 0) == (subset == Subset::even);
  }
  /// How many sites that are; of a subset, to one.
  [[nodiscard]] Index count() const {
    const Index all = box.count() - without.count();
    return subset == Subset::all ? all : all / 2;
  }
};

/// A site kernel at some sites.
template <class K>
struct Within {
  using Bounds = typename detail::BoundsOf<K>::Type;
  static constexpr const char* name = detail::name_of_site_kernel<K>();
  static constexpr double flops = detail::flops_of_site_kernel<K>();

  K kernel;
  ChosenSites chosen;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    kernel(at);
  }
  [[nodiscard]] RIDGE_FN bool wants(const Coordinates& x) const { return chosen.hold(x); }
  [[nodiscard]] Index sites() const { return chosen.count(); }
  template <class F>
  void for_each_view(const F& f) const requires requires(const K& k) {
    k.for_each_view(f);
  }
  { kernel.for_each_view(f); }
};

/// The part of some sites in a reduction of expressions: accumulators, to which those of other
/// ranks are added. S is a detail::Summand.
template <class S>
struct SummandWithin {
  using Tensor = typename S::Tensor;
  using First = typename S::First;
  template <class V>
  using Accumulator = typename S::template Accumulator<V>;
  static constexpr bool exact = S::exact;
  static constexpr bool partial = true;
  static constexpr int components = S::components;
  static constexpr int keys = S::keys;
  static constexpr int parts = S::parts;
  static constexpr const char* name = S::name;

  S summand;
  ChosenSites chosen;

  template <class V, class At>
  RIDGE_FN void find(const At& at, int c, V* terms) const {
    summand.template find<V>(at, c, terms);
  }
  [[nodiscard]] RIDGE_FN bool wants(const Coordinates& x) const { return chosen.hold(x); }
  [[nodiscard]] Index sites() const { return chosen.count(); }
  template <class F>
  void for_each_field(const F& f, bool in_place) const {
    summand.for_each_field(f, in_place);
  }
};

template <class S>
struct detail::Flops<SummandWithin<S>> : detail::Flops<S> {};

/// That of a reduction of expressions of such types.
template <class R, class... X>
using AddedWithin = SummandWithin<detail::SummandOf<R, X...>>;

/// The site kernel that stores an expression.
template <class S, class E>
struct Stored {
  static constexpr const char* name = "assign";
  SiteView<S> z;
  E e;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using Value = NumberOf<Over<S, typename At::template Value<RealOf<S>>>>;
    for (int c = 0; c < components_of<S>; ++c)
      at.store(z, c, Value(e.component(at, c)));
  }
  template <class F>
  void for_each_view(const F& f) const {
    e.for_each_field([&](const auto& leaf, bool) { f(leaf.view); }, true);
    f(z);
  }
};

} // namespace ridge::lattice
