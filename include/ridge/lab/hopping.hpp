// The site kernel of the lab: the hopping term of Wilson fermions, which reads all neighbours of a
// site in four dimensions.
#pragma once

#include <ridge/lattice/site_access.hpp>

namespace ridge::lab {

inline constexpr int hopping_dimensions = 4;

inline namespace RIDGE_TARGET_NAME {

/// Two spin components: what (1 - s gamma_mu) leaves independent of a spinor.
template <class V>
using HalfSpinor = lattice::Vector<lattice::Vector<lattice::Complex<V>, 3>, 2>;

template <class V>
RIDGE_FN lattice::Vector<lattice::Complex<V>, 3>
times_i(const lattice::Vector<lattice::Complex<V>, 3>& v) {
  return {{lattice::times_i(v(0)), lattice::times_i(v(1)), lattice::times_i(v(2))}};
}

/// a + s b.
template <int Sign, class V>
RIDGE_FN V signed_sum(const V& a, const V& b) {
  if constexpr (Sign > 0) {
    return a + b;
  } else {
    return a - b;
  }
}

/// The upper half of (1 - s gamma_mu) psi, by the gamma matrices of DeGrand and Rossi: each takes
/// the upper half of a spinor to the lower one and back.
template <int Mu, int Sign, class V>
RIDGE_FN HalfSpinor<V> projected(const lattice::Spinor<V>& p) {
  constexpr int minus = -Sign;
  if constexpr (Mu == 0) {
    return {{signed_sum<minus>(p(0), times_i(p(3))), signed_sum<minus>(p(1), times_i(p(2)))}};
  } else if constexpr (Mu == 1) {
    return {{signed_sum<Sign>(p(0), p(3)), signed_sum<minus>(p(1), p(2))}};
  } else if constexpr (Mu == 2) {
    return {{signed_sum<minus>(p(0), times_i(p(2))), signed_sum<Sign>(p(1), times_i(p(3)))}};
  } else {
    return {{signed_sum<minus>(p(0), p(2)), signed_sum<minus>(p(1), p(3))}};
  }
}

/// Adds the spinor of which that is the upper half: v = (1 - s gamma) ... has gamma v = -s v.
template <int Mu, int Sign, class V>
RIDGE_FN void add_whole(lattice::Spinor<V>& sum, const HalfSpinor<V>& h) {
  constexpr int minus = -Sign;
  sum(0) += h(0);
  sum(1) += h(1);
  if constexpr (Mu == 0) {
    sum(2) = signed_sum<Sign>(sum(2), times_i(h(1)));
    sum(3) = signed_sum<Sign>(sum(3), times_i(h(0)));
  } else if constexpr (Mu == 1) {
    sum(2) = signed_sum<minus>(sum(2), h(1));
    sum(3) = signed_sum<Sign>(sum(3), h(0));
  } else if constexpr (Mu == 2) {
    sum(2) = signed_sum<Sign>(sum(2), times_i(h(0)));
    sum(3) = signed_sum<minus>(sum(3), times_i(h(1)));
  } else {
    sum(2) = signed_sum<minus>(sum(2), h(0));
    sum(3) = signed_sum<minus>(sum(3), h(1));
  }
}

/// Adds (1 - s gamma_mu) U psi: two products with the link do for four spin components.
template <int Mu, int Sign, class V, class U>
RIDGE_CALL void add_hop(lattice::Spinor<V>& sum, const U& link, const lattice::Spinor<V>& psi) {
  const HalfSpinor<V> h = projected<Mu, Sign>(psi);
  add_whole<Mu, Sign>(sum, HalfSpinor<V>{{link * h(0), link * h(1)}});
}

} // namespace RIDGE_TARGET_NAME

/// out = the sum over mu of (1 - gamma_mu) U_mu(x) psi(x + mu) + (1 + gamma_mu) U_mu(x - mu)^+
/// psi(x - mu).
template <class T>
struct Hopping {
  using Link = lattice::ColourMatrix<T>;
  using Fermion = lattice::Spinor<T>;
  static constexpr const char* name = "hopping";
  static constexpr double flops = 1320; ///< 8 projections, 16 products with links, the sums

  lattice::SiteView<const Link> links[hopping_dimensions];
  lattice::SiteView<const Fermion> psi;
  lattice::SiteView<Fermion> out;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    lattice::Spinor<typename At::template Value<T>> sum;
    RIDGE_UNROLL
    for (int c = 0; c < lattice::components_of<Fermion>; ++c)
      component(sum, c) = T(0);
    both<0>(at, sum);
    both<1>(at, sum);
    both<2>(at, sum);
    both<3>(at, sum);
    coalesced_write(at, out, sum);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(psi), f(out);
  }

private:
  template <int Mu, class At, class S>
  RIDGE_FN void both(const At& at, S& sum) const {
    const auto ahead = at.shifted(Mu, 1);
    add_hop<Mu, 1>(sum, coalesced_read(at, links[Mu]), coalesced_read(ahead, psi));
    const auto behind = at.shifted(Mu, -1);
    add_hop<Mu, -1>(sum, adj(coalesced_read(behind, links[Mu])), coalesced_read(behind, psi));
  }
};

} // namespace ridge::lab
