// Configurations by heatbath and overrelaxation.
#include <ridge/core/error.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/heatbath.hpp>

#include "over_ranks.hpp"

namespace ridge::gauge {

namespace {

void check_even(const Extents& extents) {
  bool even = extents.rank() == 4;
  for (int d = 0; d < 4; ++d)
    even = even && extents[d] % 2 == 0;
  if (even) return;
  throw UsageError("heatbath of " + to_text(extents) +
                   ": sites of one parity are updated together, which takes four even extents");
}

} // namespace

Heatbath::Heatbath(Queue& queue, const Links<double>& links, const HeatbathOptions& options)
    : Heatbath(one_rank(), queue, whole_part(links.front().lattice()), links, options) {}

Heatbath::Heatbath(comm::Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
                   const Links<double>& links, const HeatbathOptions& options)
    : queue_(queue), part_(part), links_(links), options_(options), sweep_(options.first_sweep),
      site_(queue.device(), part.held(), "numbers of sites") {
  check_even(part.whole());
  number_sites(queue, part, site_);
  for (const auto& link : links) {
    exchanges_.emplace_back(ranks, queue, part, std::vector{all_around(link, true)});
    exchanges_.back().run();
  }
  inner_ = lattice::detail::inner_sites(part, {all_around(links.front(), true)});
}

template <bool Relax>
lattice::SiteLoopCall<lattice::ColourMatrix<double>, UpdateLinks<Relax>>
Heatbath::call(int mu, int parity, const lattice::SiteBox& box,
               const lattice::SiteBox& without) const {
  UpdateLinks<Relax> kernel;
  for (std::size_t d = 0; d < 4; ++d)
    kernel.links[d] = links_[d].view();
  kernel.site = site_.view();
  kernel.out = links_[static_cast<std::size_t>(mu)].view();
  kernel.strength = 2 * options_.beta / 3;
  kernel.seed = options_.seed;
  kernel.sweep = sweep_;
  kernel.mu = mu;
  kernel.chosen = {box, without, parity == 0 ? lattice::Subset::even : lattice::Subset::odd,
                   part_.starts_odd()};
  return {kernel.out, kernel, lattice::Subset::all};
}

/// Links that others read first, then the rest while those travel.
template <bool Relax>
void Heatbath::update(int mu, int parity) {
  const lattice::SiteBox& owned = part_.owned();
  if (inner_.count() < owned.count()) Program(queue_, call<Relax>(mu, parity, owned, inner_)).run();
  lattice::HaloExchange& exchange = exchanges_[static_cast<std::size_t>(mu)];
  exchange.begin();
  if (inner_.count() > 0) Program(queue_, call<Relax>(mu, parity, inner_, {})).run();
  exchange.finish();
  if (between_) between_();
}

void Heatbath::sweep() {
  const auto over_links = [&]<bool Relax>() {
    for (int parity = 0; parity < 2; ++parity) {
      for (int mu = 0; mu < 4; ++mu)
        update<Relax>(mu, parity);
    }
  };
  over_links.template operator()<false>();
  for (int i = 0; i < options_.relaxations; ++i)
    over_links.template operator()<true>();
  ++sweep_;
}

Record Heatbath::record() const {
  const Program all(queue_, call<false>(0, 0, lattice::box_of(part_.whole()), {}));
  return of_all_ranks(all.record(), part_, exchanges_.front().carrier());
}

HostLinks cold_links(const Extents& extents) {
  HostLinks links(static_cast<std::size_t>(extents.count()) * 4);
  for (auto& link : links) {
    for (int c = 0; c < 9; ++c)
      component(link, c) = {c % 4 == 0 ? 1.0 : 0.0, 0.0};
  }
  return links;
}

HostLinks hot_links(const Extents& extents, std::uint64_t seed) {
  HostLinks links(static_cast<std::size_t>(extents.count()) * 4);
  for (std::size_t i = 0; i < links.size(); ++i)
    links[i] = random_su3(seed, static_cast<Index>(i));
  return links;
}

} // namespace ridge::gauge
