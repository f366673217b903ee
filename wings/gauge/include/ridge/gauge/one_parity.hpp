// The Wilson operator at chosen sites of a lattice: all that a rank owns, some of them, and those
// of one parity for even-odd preconditioning: with D = d + h H, the odd sites of D x = b give x_o =
// (b_o - h H x_e) / d, and the even ones (d - h^2 / d H H) x_e = b_e - h / d H b_o.
#pragma once

#include <ridge/gauge/wilson.hpp>
#include <ridge/lattice/within.hpp>

namespace ridge::gauge {

/// out = diagonal here + hop H psi at the chosen sites, H^+ for sign = -1; the others are left
/// alone. With sites of one parity psi is read at the other.
template <class T>
struct OneParity {
  using Link = ColourMatrix<T>;
  using Fermion = Spinor<T>;
  static constexpr const char* name = "wilson, chosen sites";
  static constexpr double flops = hopping_flops + 48;

  lattice::SiteView<const Link> links[dimensions];
  lattice::SiteView<const Fermion> psi, here;
  lattice::SiteView<Fermion> out;
  T diagonal = 0, hop = 1;
  T sign = 1;
  lattice::ChosenSites chosen;

  /// How many sites that are, for the record.
  [[nodiscard]] Index sites() const { return chosen.count(); }
  RIDGE_FN bool wants(const lattice::Coordinates& x) const { return chosen.hold(x); }

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<T>;
    auto sum = hopping_term(at, links, psi, V(sign));
    const auto site = coalesced_read(at, here);
    const V d(diagonal), h(hop);
    RIDGE_UNROLL
    for (int c = 0; c < spins * colours; ++c)
      component(sum, c) = {d * component(site, c).re + h * component(sum, c).re,
                           d * component(site, c).im + h * component(sum, c).im};
    coalesced_write(at, out, sum);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(psi), f(here), f(out);
  }
};

} // namespace ridge::gauge
