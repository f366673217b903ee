// Lattice gauge theory from fields, site kernels and expressions: the plaquette, the Wilson hopping
// term, and gauge transformations, in double precision on a lattice of four dimensions.
#pragma once

#include <ridge/lattice/site_loop.hpp>

#include <optional>
#include <vector>

namespace gauge {

using namespace ridge::lattice;
using Link = Field<ColourMatrix<double>>;
using Fermion = Field<Spinor<double>>;

inline constexpr int dimensions = 4;

inline namespace RIDGE_TARGET_NAME {

template <class V>
using Half = Vector<Vector<Complex<V>, 3>, 2>;

template <class V>
RIDGE_FN Vector<Complex<V>, 3> times_i(const Vector<Complex<V>, 3>& v) {
  return {{ridge::lattice::times_i(v(0)), ridge::lattice::times_i(v(1)),
           ridge::lattice::times_i(v(2))}};
}

/// The gamma matrices of DeGrand and Rossi: each takes the upper half of a spinor to the lower one
/// and back. `upper` gives the upper half of gamma psi, `lower` the lower half of gamma (h, 0).
template <int Mu, class V>
RIDGE_FN Half<V> upper(const Spinor<V>& psi) {
  const V one(1.0);
  if constexpr (Mu == 0) return {{times_i(psi(3)), times_i(psi(2))}};
  if constexpr (Mu == 1) return {{-one * psi(3), psi(2)}};
  if constexpr (Mu == 2) return {{times_i(psi(2)), -one * times_i(psi(3))}};
  if constexpr (Mu == 3) return {{psi(2), psi(3)}};
}
template <int Mu, class V>
RIDGE_FN Half<V> lower(const Half<V>& h) {
  const V one(1.0);
  if constexpr (Mu == 0) return {{-one * times_i(h(1)), -one * times_i(h(0))}};
  if constexpr (Mu == 1) return {{h(1), -one * h(0)}};
  if constexpr (Mu == 2) return {{-one * times_i(h(0)), times_i(h(1))}};
  if constexpr (Mu == 3) return {{h(0), h(1)}};
}

/// Adds (1 - s gamma) U psi: a projection has two independent spin components, so that two products
/// with the link do for four.
template <int Mu, class V, class U>
RIDGE_CALL void add_hop(Spinor<V>& sum, double s, const U& link, const Spinor<V>& psi) {
  const V sign(s);
  const Half<V> gamma_psi = upper<Mu>(psi);
  Half<V> h;
  RIDGE_UNROLL
  for (int spin = 0; spin < 2; ++spin)
    h(spin) = link * (psi(spin) - sign * gamma_psi(spin));
  const Half<V> rest = lower<Mu>(h); // gamma v = -s v for v = (1 - s gamma) ...
  RIDGE_UNROLL
  for (int spin = 0; spin < 2; ++spin) {
    sum(spin) += h(spin);
    sum(spin + 2) -= sign * rest(spin);
  }
}

} // namespace RIDGE_TARGET_NAME

/// out = the hopping term of psi: the sum over mu of
/// (1 - gamma_mu) U_mu(x) psi(x + mu) + (1 + gamma_mu) U_mu(x - mu)^+ psi(x - mu).
struct Hopping {
  static constexpr const char* name = "hopping";
  static constexpr double flops = 1320; // as lattice gauge theorists count them

  SiteView<const ColourMatrix<double>> links[dimensions];
  SiteView<const Spinor<double>> psi;
  SiteView<Spinor<double>> out;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    Spinor<typename At::template Value<double>> sum;
    RIDGE_UNROLL
    for (int c = 0; c < 12; ++c)
      component(sum, c) = 0.0;
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
    add_hop<Mu>(sum, 1, coalesced_read(at, links[Mu]), coalesced_read(ahead, psi));
    const auto behind = at.shifted(Mu, -1);
    add_hop<Mu>(sum, -1, adj(coalesced_read(behind, links[Mu])), coalesced_read(behind, psi));
  }
};

/// out(x) = the sum over planes mu < nu of tr U_mu(x) U_nu(x + mu) U_mu(x + nu)^+ U_nu(x)^+.
struct Plaquettes {
  static constexpr const char* name = "plaquettes";

  SiteView<const ColourMatrix<double>> links[dimensions];
  SiteView<Complex<double>> out;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    Complex<typename At::template Value<double>> sum(0.0);
    // Not unrolled: six planes make no faster code than one, only more of it.
    RIDGE_NO_UNROLL
    for (int mu = 0; mu < dimensions; ++mu) {
      RIDGE_NO_UNROLL
      for (int nu = mu + 1; nu < dimensions; ++nu) {
        const auto there = corner(at, mu, nu);
        const auto other = corner(at, nu, mu);
        sum = sum + trace(there * adj(other));
      }
    }
    coalesced_write(at, out, sum);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(out);
  }

private:
  /// U_mu(x) U_nu(x + mu).
  template <class At>
  RIDGE_CALL auto corner(const At& at, int mu, int nu) const {
    return coalesced_read(at, links[mu]) * coalesced_read(at.shifted(mu, 1), links[nu]);
  }
};

inline Hopping hopping_kernel(const Fermion& out, const std::vector<Link>& links,
                              const Fermion& psi) {
  Hopping kernel;
  for (int mu = 0; mu < dimensions; ++mu)
    kernel.links[mu] = links[static_cast<std::size_t>(mu)].view();
  kernel.psi = psi.view();
  kernel.out = out.view();
  return kernel;
}
inline Plaquettes plaquettes_kernel(const Field<Complex<double>>& out,
                                    const std::vector<Link>& links) {
  Plaquettes kernel;
  for (int mu = 0; mu < dimensions; ++mu)
    kernel.links[mu] = links[static_cast<std::size_t>(mu)].view();
  kernel.out = out.view();
  return kernel;
}

// Launches, for a ridge::Program that is run often.

inline SiteLoopCall<Spinor<double>, Hopping>
hopping_call(const Fermion& out, const std::vector<Link>& links, const Fermion& psi) {
  return {out.view(), hopping_kernel(out, links, psi)};
}
inline SiteLoopCall<Complex<double>, Plaquettes> plaquettes_call(const Field<Complex<double>>& out,
                                                                 const std::vector<Link>& links) {
  return {out.view(), plaquettes_kernel(out, links)};
}
/// U_mu(x) -> g(x) U_mu(x) g(x + mu)^+.
inline auto turned_link(const Link& link, const Link& g, int mu) {
  return g * link * shift(adj(g), mu, 1);
}
using TurnedLink =
    decltype(turned_link(std::declval<const Link&>(), std::declval<const Link&>(), 0));
/// psi -> g psi.
inline auto turned_fermion(const Fermion& psi, const Link& g) {
  return g * psi;
}
using TurnedFermion =
    decltype(turned_fermion(std::declval<const Fermion&>(), std::declval<const Link&>()));

// The same once, in queue order.

inline void hopping(ridge::Queue& queue, Fermion& out, const std::vector<Link>& links,
                    const Fermion& psi, const std::optional<Schedule>& schedule = {}) {
  run_once(queue, hopping_call(out, links, psi), schedule);
}
inline void plaquettes(ridge::Queue& queue, Field<Complex<double>>& out,
                       const std::vector<Link>& links) {
  run_once(queue, plaquettes_call(out, links));
}
inline void transform(ridge::Queue& queue, std::vector<Link>& links_out,
                      const std::vector<Link>& links, const Link& g) {
  for (int mu = 0; mu < dimensions; ++mu) {
    const auto i = static_cast<std::size_t>(mu);
    run_once(queue, assign_call(links_out[i], turned_link(links[i], g, mu)));
  }
}
inline void transform(ridge::Queue& queue, Fermion& out, const Fermion& psi, const Link& g) {
  run_once(queue, assign_call(out, turned_fermion(psi, g)));
}

} // namespace gauge
