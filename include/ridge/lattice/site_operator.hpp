// Operators of your own on stored fields: a site's result from its own value, its neighbours' and
// the links to them.
//
//   struct Laplacian : ridge::lattice::SiteOperator {
//     template <class T> using Site = ridge::lattice::ColourVector<T>;
//     static constexpr double flops = 582;
//     double mass = 0.1;
//     template <class At> RIDGE_FN auto operator()(const At& at) const {
//       auto sum = at.number(8 + mass) * at.here();
//       ridge::lattice::each_direction([&](auto mu) {
//         sum -= at.link(mu) * at.ahead(mu) + adj(at.link_behind(mu)) * at.behind(mu);
//       });
//       return sum;
//     }
//   };
//
// `ridge bench FILE.hpp:Laplacian` runs it; a program of your own takes gauge::operator_call
// (ridge/gauge/site_operator.hpp), and a kernel source
//   template struct ridge::lattice::StoredLooper<OperatorKernel<Laplacian, double, 18>, Here>;
#pragma once

#include <ridge/lattice/stored/code.hpp>

/// Descriptions of kernels in a file ask for it (ridge/lab/user_kernel.hpp).
#define RIDGE_HAS_SITE_OPERATORS 1

namespace ridge::lattice {

/// The base of operators. Beside operator(), which gets an OperatorSite, they have
///   template <class T> using Site     the tensor of complex numbers that a site holds
///   static constexpr double flops     operations a result
/// and may say otherwise than here:
struct SiteOperator {
  static constexpr bool links = true;     ///< links are read
  static constexpr bool even_odd = false; ///< results of even sites alone, from odd ones
};

/// One of the four dimensions, known to the compiler.
template <int Mu>
using Direction = std::integral_constant<int, Mu>;
/// Calls `f` with Direction<0>{} to Direction<3>{}.
template <class F>
RIDGE_FN void each_direction(const F& f) {
  f(Direction<0>{});
  f(Direction<1>{});
  f(Direction<2>{});
  f(Direction<3>{});
}

inline namespace RIDGE_TARGET_NAME {

/// A site as an operator sees it. Numbers are those of one site on a GPU, packs of several on a
/// cpu. Lattices go round.
template <class At, class K>
class OperatorSite {
public:
  using Number = typename At::template Value<typename K::Real>;
  using Site = Over<typename K::Tensor, Number>;

  RIDGE_FN OperatorSite(const At& at, const K& kernel) : at_(at), kernel_(kernel) {}

  /// A number in the precision of the launch.
  [[nodiscard]] static RIDGE_FN Number number(double x) {
    return Number(static_cast<typename K::Real>(x));
  }
  [[nodiscard]] static RIDGE_FN Site zero() {
    Site none;
    RIDGE_UNROLL
    for (int c = 0; c < components_of<Site>; ++c)
      component(none, c) = {number(0), number(0)};
    return none;
  }
  /// The field's value at this site.
  [[nodiscard]] RIDGE_FN Site here() const {
    static_assert(!K::Operator::even_odd, "even_odd: the field has values at odd sites alone");
    return at_.read(kernel_.psi, at_.here()).value;
  }
  /// Those one site ahead and behind along mu.
  template <int Mu>
  [[nodiscard]] RIDGE_FN Site ahead(Direction<Mu> /*mu*/) const {
    return at_.read(kernel_.psi, at_.template next<Mu, 1>()).value;
  }
  template <int Mu>
  [[nodiscard]] RIDGE_FN Site behind(Direction<Mu> /*mu*/) const {
    return at_.read(kernel_.psi, at_.template next<Mu, -1>()).value;
  }
  /// The link from this site ahead along mu, and that from the site behind to this one.
  template <int Mu>
  [[nodiscard]] RIDGE_FN ColourMatrix<Number> link(Direction<Mu> /*mu*/) const {
    static_assert(K::Operator::links, "the operator says that it reads no links");
    return at_.read_once(kernel_.links[0][Mu], at_.here()).value;
  }
  template <int Mu>
  [[nodiscard]] RIDGE_FN ColourMatrix<Number> link_behind(Direction<Mu> /*mu*/) const {
    static_assert(K::Operator::links, "the operator says that it reads no links");
    return at_.read_once(kernel_.links[1][Mu], at_.template next<Mu, -1>()).value;
  }

private:
  const At& at_;
  const K& kernel_;
};

} // namespace RIDGE_TARGET_NAME

/// The kernel of an operator F; `Number` is float or double, `LinkReals` 18, or 12 for the first
/// two rows of links.
template <class F, class Number, int LinkReals>
struct OperatorKernel {
  using Operator = F;
  using Real = Number;
  using Tensor = typename F::template Site<Real>;
  using LinkView = StoredView<const ColourMatrix<Real>, Number, LinkReals>;
  static_assert(is_complex<Tensor>, "a site holds complex numbers");
  static constexpr const char* name = "site operator";
  static constexpr const char* counted = "as the operator says";
  static constexpr const char* form = !F::links         ? "no links"
                                      : LinkReals == 18 ? "links of 18 numbers"
                                                        : "links of 12 numbers";
  static constexpr bool fixed = false;
  static constexpr int inner_ahead[1] = {1};

  LinkView links[2][4]; ///< of the results' sites, and of the field's
  StoredView<const Tensor, Number> psi;
  StoredView<Tensor, Number> out;
  F functor;

  /// Returns |out|^2 of each site where it is summed.
  template <class At>
  RIDGE_FN auto operator()(const At& at, bool sums) const {
    using V = typename At::template Value<Real>;
    const Over<Tensor, V> result = functor(OperatorSite<At, OperatorKernel>(at, *this));
    at.write(out, result);
    V squares(Real(0));
    if (sums) {
      RIDGE_UNROLL
      for (int c = 0; c < components_of<Tensor>; ++c) {
        const auto& z = component(result, c);
        squares = squares + z.re * z.re + z.im * z.im;
      }
    }
    return squares;
  }
  template <class V>
  void for_each_view(const V& f) const {
    for (const auto& parity : links) {
      for (const auto& link : parity)
        f(link, false);
    }
    f(psi, false);
    f(out, false);
  }
  [[nodiscard]] double flops() const { return F::flops; }
};

} // namespace ridge::lattice
