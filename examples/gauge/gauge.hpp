// Lattice gauge theory from fields, site kernels and expressions: the plaquette, the Wilson hopping
// term, and gauge transformations, in double precision on a lattice of four dimensions.
#pragma once

#include <ridge/gauge/operators.hpp>
#include <ridge/lattice/site_loop.hpp>

#include <optional>
#include <vector>

namespace gauge {

using namespace ridge::lattice;
using Link = Field<ColourMatrix<double>>;
using Fermion = Field<Spinor<double>>;

using ridge::gauge::dimensions;

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

inline Plaquettes plaquettes_kernel(const Field<Complex<double>>& out,
                                    const std::vector<Link>& links) {
  Plaquettes kernel;
  for (int mu = 0; mu < dimensions; ++mu)
    kernel.links[mu] = links[static_cast<std::size_t>(mu)].view();
  kernel.out = out.view();
  return kernel;
}

// Launches, for a ridge::Program that is run often.

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
  run_once(queue, ridge::gauge::hopping_call(out, links, psi), schedule);
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
