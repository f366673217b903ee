// Gaussian smearing of fermions in space, covariant under gauge transformations (Guesken and
// others, Phys. Lett. B 227 (1989) 266; Wuppertal smearing): n steps of
//
//   psi(x) = (psi(x) + alpha sum over i of (U_i(x) psi(x + i) + U_i(x - i)^+ psi(x - i))) / (1 + 6
//   alpha)
#pragma once

#include <ridge/gauge/gamma.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/lattice/site_access.hpp>

#include <memory>
#include <vector>

namespace ridge::gauge {

/// out = centre psi + side times the sum over the six neighbours in space.
struct GaussianStep {
  using Link = ColourMatrix<double>;
  using Fermion = Spinor<double>;
  static constexpr const char* name = "smear-gaussian";
  static constexpr double flops = 6 * (4 * 66 + 24) + 72;

  lattice::SiteView<const Link> links[3];
  lattice::SiteView<const Fermion> psi;
  lattice::SiteView<Fermion> out;
  double centre = 1, side = 0;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    Spinor<V> sum = zero_spinor<V>();
    RIDGE_NO_UNROLL
    for (int mu = 0; mu < 3; ++mu) {
      const auto ahead = at.shifted(mu, 1), behind = at.shifted(mu, -1);
      add_product(sum, coalesced_read(at, links[mu]), coalesced_read(ahead, psi));
      add_product(sum, adj(coalesced_read(behind, links[mu])), coalesced_read(behind, psi));
    }
    const auto here = coalesced_read(at, psi);
    const V c(centre), s(side);
    RIDGE_UNROLL
    for (int k = 0; k < spins * colours; ++k)
      component(sum, k) = {c * component(here, k).re + s * component(sum, k).re,
                           c * component(here, k).im + s * component(sum, k).im};
    coalesced_write(at, out, sum);
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(psi), f(out);
  }

private:
  /// sum += u psi.
  template <class V>
  static RIDGE_CALL void add_product(Spinor<V>& sum, const ColourMatrix<V>& u,
                                     const Spinor<V>& psi) {
    RIDGE_NO_UNROLL
    for (int spin = 0; spin < spins; ++spin) {
      RIDGE_UNROLL
      for (int row = 0; row < colours; ++row) {
        RIDGE_UNROLL
        for (int k = 0; k < colours; ++k)
          sum(spin)(row) = sum(spin)(row) + u(row, k) * psi(spin)(k);
      }
    }
  }
};

struct GaussianOptions {
  int steps = 0;
  double alpha = 0;
};

/// Smears fermions on one device, the whole lattice on it.
class GaussianSmearing {
public:
  /// A spinor a site, x fastest.
  using Sites = std::vector<Spinor<double>>;

  /// Keeps the links, on the queue's device.
  GaussianSmearing(Queue& queue, Links<double> links);
  ~GaussianSmearing();
  /// Throws UsageError for negative steps, and for an alpha that is negative or no number.
  void operator()(Sites& sites, const GaussianOptions& options);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ridge::gauge
