// Configurations of the Wilson gauge action, -beta / 3 sum over plaquettes of Re tr U_p: heatbath
// and overrelaxation. Links come out with the same bits on every device, under every schedule and
// with any number of threads: random numbers are a function of seed, sweep, site and direction, and
// every operation is rounded by itself.
#pragma once

#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/links.hpp>
#include <ridge/gauge/su2.hpp>
#include <ridge/lattice/halo.hpp>
#include <ridge/lattice/within.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace ridge::gauge {

/// Updates the links along mu of chosen sites of one parity, in place: none of them is in another's
/// staples, where all extents of the whole lattice are even.
template <bool Relax>
struct UpdateLinks {
  using Link = lattice::ColourMatrix<double>;
  static constexpr const char* name = Relax ? "overrelaxation" : "heatbath";
  /// Six staples of two products, the product with the link, and three subgroups.
  static constexpr double flops = 6 * (2 * 198 + 18) + 198 + 3 * 150;

  lattice::SiteView<const Link> links[4];
  lattice::SiteView<const lattice::Complex<double>> site; ///< its number, as the real part
  lattice::SiteView<Link> out;                            ///< links[mu]
  double strength = 0;                                    ///< 2 beta / 3
  std::uint64_t seed = 0;
  std::uint32_t sweep = 0;
  int mu = 0;
  lattice::ChosenSites chosen;

  /// How many sites that are, for the record.
  [[nodiscard]] Index sites() const { return chosen.count(); }
  RIDGE_FN bool wants(const lattice::Coordinates& x) const { return chosen.hold(x); }

  template <class At>
  RIDGE_FN void operator()(const At& at) const {
    using V = typename At::template Value<double>;
    RoundedLink<V> staples;
    for (int c = 0; c < 9; ++c)
      component(staples, c) = lattice::Complex<Rounded<V>>(Rounded<V>(0.0), Rounded<V>(0.0));
    RIDGE_NO_UNROLL
    for (int nu = 0; nu < 4; ++nu) {
      if (nu != mu) add_staples(staples, at, links, mu, nu);
    }
    RoundedLink<V> u = rounded_read(at, links[mu]);
    const V number = at.load(site, 0).re;
    // Lanes that are not wanted are not stored.
    for_each_lane(u, staples, [&](ExactLink& one, const ExactLink& sum, int lane) {
      if constexpr (std::is_arithmetic_v<V>) {
        update_link<Relax>(one, sum, strength, random_of(number));
      } else {
        update_link<Relax>(one, sum, strength, random_of(number[lane]));
      }
    });
    RIDGE_UNROLL
    for (int c = 0; c < 9; ++c)
      at.store(out, c, {component(u, c).re.v, component(u, c).im.v});
  }

  template <class F>
  void for_each_view(const F& f) const {
    for (const auto& link : links)
      f(link);
    f(site), f(out);
  }

private:
  RIDGE_FN LinkRandom random_of(double number) const {
    return {seed, static_cast<std::uint64_t>(number), sweep, static_cast<std::uint32_t>(mu)};
  }
};

/// How configurations are made.
struct HeatbathOptions {
  double beta = 6;
  int relaxations = 4; ///< sweeps of overrelaxation after each of heatbath
  std::uint64_t seed = 1;
  std::uint32_t first_sweep = 0; ///< how many sweeps the links have behind them
};

/// Sweeps over the links of a lattice, all of whose extents are even. Over ranks links beyond what
/// one owns are exchanged while it updates those that need none of them; its links have the bits of
/// one rank.
class Heatbath {
public:
  /// The links must outlive it. Throws UsageError for an odd extent.
  Heatbath(Queue& queue, const Links<double>& links, const HeatbathOptions& options);
  /// Over ranks: links are fields on `part.held()`. Collective, like sweep().
  Heatbath(comm::Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
           const Links<double>& links, const HeatbathOptions& options);

  /// One sweep of heatbath and its overrelaxations, in queue order.
  void sweep();
  /// From now on `call` is called between launches. What it throws ends a sweep, in its midst.
  void between_launches(std::function<void()> call) { between_ = std::move(call); }
  /// How many sweeps the links have behind them.
  [[nodiscard]] std::uint32_t sweeps() const { return sweep_; }
  /// The record of a launch of heatbath on all ranks: a quarter of the links of one parity.
  [[nodiscard]] Record record() const;

private:
  template <bool Relax>
  [[nodiscard]] lattice::SiteLoopCall<lattice::ColourMatrix<double>, UpdateLinks<Relax>>
  call(int mu, int parity, const lattice::SiteBox& box, const lattice::SiteBox& without) const;
  template <bool Relax>
  void update(int mu, int parity);

  Queue& queue_;
  lattice::RankLattice part_;
  lattice::SiteBox inner_; ///< sites whose staples are all this rank's
  const Links<double>& links_;
  HeatbathOptions options_;
  std::uint32_t sweep_;
  lattice::Field<lattice::Complex<double>> site_;
  std::vector<lattice::HaloExchange> exchanges_; ///< one a direction
  std::function<void()> between_;
};

/// Links all 1, or random elements of SU(3) that are a function of seed, site and direction.
[[nodiscard]] HostLinks cold_links(const Extents& extents);
[[nodiscard]] HostLinks hot_links(const Extents& extents, std::uint64_t seed);

} // namespace ridge::gauge
