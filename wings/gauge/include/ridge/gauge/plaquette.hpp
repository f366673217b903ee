// Plaquette and link trace on a device.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/gauge/rounded_link.hpp>
#include <ridge/lattice/rank_program.hpp>

namespace ridge::gauge {

/// out(x) = the sum over planes mu < nu of Re tr U_mu(x) U_nu(x + mu) U_mu(x + nu)^+ U_nu(x)^+, and
/// as its imaginary part the sum over mu of Re tr U_mu(x). Rounded: the same bits on every device.
struct Plaquettes {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = "plaquettes";
  static constexpr double flops = 6 * (2 * 198 + 36) + 12;

  lattice::SiteView<const Link> links[4];
  lattice::SiteView<lattice::Complex<double>> out;

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    Rounded<V> planes(0.0);
    Rounded<V> traces(0.0);
    // Not unrolled: six planes make no faster code than one, only more of it.
    RIDGE_NO_UNROLL
    for (int mu = 0; mu < 4; ++mu) {
      const auto here = rounded_read(at, links[mu]);
      traces = traces + (here(0, 0).re + here(1, 1).re + here(2, 2).re);
      const auto ahead = at.shifted(mu, 1);
      RIDGE_NO_UNROLL
      for (int nu = mu + 1; nu < 4; ++nu) {
        const auto there = product(here, rounded_read(ahead, links[nu]));
        const auto other =
            product(rounded_read(at, links[nu]), rounded_read(at.shifted(nu, 1), links[mu]));
        RIDGE_UNROLL
        for (int c = 0; c < 9; ++c)
          planes = planes + (component(there, c).re * component(other, c).re +
                             component(there, c).im * component(other, c).im);
      }
    }
    at.store(out, 0, {planes.v, traces.v});
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(out);
  }
};

/// Both averages: one pass over the links and a reproducible sum, so that their bits are equal on
/// every device, under every schedule and on any number of ranks. Bound once.
class MeasurePlaquette {
public:
  /// The links must outlive it.
  MeasurePlaquette(Queue& queue, const Links<double>& links);
  /// Over ranks: links are fields on `part.held()`. Collective, like measuring.
  MeasurePlaquette(comm::Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
                   const Links<double>& links);
  [[nodiscard]] LinkAverages operator()();
  [[nodiscard]] Record record() const;

private:
  comm::Communicator& ranks_;
  Queue& queue_;
  lattice::RankLattice part_;
  lattice::Field<lattice::Complex<double>> out_;
  lattice::RankProgram<lattice::Complex<double>, Plaquettes> sites_;
};

} // namespace ridge::gauge
