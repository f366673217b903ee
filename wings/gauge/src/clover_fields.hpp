// The clover term of links on their device, or over ranks, and its inverse on odd sites.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/gauge/hmc_clover.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "placed.hpp"

namespace ridge::gauge::detail {

struct CloverFields {
  using Site = CloverSite<double>;
  using Link = ColourMatrix<double>;

  /// Links need their neighbours of other ranks along two dimensions at once. `even_odd`: whether
  /// the term is inverted on odd sites.
  CloverFields(const Placed& at, const Links<double>& of, double kappa_csw, bool even_odd)
      : placed(at), links(of), factor(kappa_csw), inverts(even_odd), term(field("the clover term")),
        inverse(field("its inverse")), logarithm(at.queue.device(), at.held, "its determinant"),
        leaves(at.queue.device(), at.held, "the force by leaves"),
        around(at.ranks, at.queue, at.part, {all_around(leaves, true)}) {
    fill_bytes(at.queue, logarithm.reals().data, 0, logarithm.bytes());
  }

  /// The term of the links as they are now.
  void make() const {
    MakeCloverTerm kernel;
    set_links(kernel);
    kernel.term = term.view();
    kernel.factor = factor;
    run(kernel);
    if (!inverts) return;
    InvertCloverTerm invert{term.view(), inverse.view(), logarithm.view(), {}};
    invert.chosen = {placed.part.owned(), {}, lattice::Subset::odd, placed.part.starts_odd()};
    run(invert);
  }
  /// -2 log det A_oo.
  [[nodiscard]] double action() const {
    if (!inverts) return 0;
    return placed.ranks.ranks() == 1
               ? -lattice::sum(placed.queue, logarithm, {.schedule = {}, .reproducible = true}).re
               : -lattice::sum(placed.ranks, placed.queue, placed.part, logarithm).re;
  }
  /// momenta += step times the force of the term, for X and Y.
  void kick(const Links<double>& momenta, const lattice::Field<Spinor<double>>& x,
            const lattice::Field<Spinor<double>>& y, double step) {
    run(CloverByLeaves{x.view(), y.view(), inverse.view(), leaves.view(), factor});
    around.run();
    for (std::size_t mu = 0; mu < 4; ++mu) {
      KickByClover kernel;
      set_links(kernel);
      kernel.leaves = leaves.view();
      kernel.momentum = momenta[mu].view();
      kernel.factor = -step;
      kernel.mu = static_cast<int>(mu);
      run(kernel);
    }
  }

private:
  [[nodiscard]] lattice::Field<Site> field(const char* name) const {
    lattice::Field<Site> one(placed.queue.device(), placed.held, name);
    fill_bytes(placed.queue, one.reals().data, 0, one.bytes());
    return one;
  }
  template <class Kernel>
  void set_links(Kernel& kernel) const {
    for (std::size_t mu = 0; mu < 4; ++mu)
      kernel.links[mu] = links[mu].view();
  }
  template <class Kernel>
  void run(const Kernel& kernel) const {
    run_once(placed.queue,
             lattice::SiteLoopCall<Link, Kernel>{links[0].view(), kernel, lattice::Subset::all});
  }

public:
  const Placed& placed;
  const Links<double>& links;
  double factor; ///< kappa csw
  bool inverts;
  lattice::Field<Site> term, inverse; ///< the inverse is 0 on even sites
  lattice::Field<Complex<double>> logarithm;
  lattice::Field<Planes<double>> leaves;
  lattice::HaloExchange around; ///< of the leaves
};

} // namespace ridge::gauge::detail
