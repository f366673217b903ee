// Configurations by heatbath and overrelaxation.
#include <ridge/core/error.hpp>
#include <ridge/gauge/averages.hpp>
#include <ridge/gauge/heatbath.hpp>

namespace ridge::gauge {

namespace {

/// The number of each site in plain order, as the real part: numbers of the links' size, so that
/// they lie as links do.
void fill_numbers(Queue& queue, lattice::Field<lattice::Complex<double>>& field) {
  std::vector<lattice::Complex<double>> numbers(static_cast<std::size_t>(field.lattice().sites()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = {static_cast<double>(i), 0};
  field.set(queue, numbers);
}

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
    : queue_(queue), links_(links), options_(options), sweep_(options.first_sweep),
      site_(queue.device(), links.front().lattice(), "numbers of sites") {
  check_even(links.front().lattice().extents());
  fill_numbers(queue, site_);
}

template <bool Relax>
Program Heatbath::bind(int mu, int parity, std::uint32_t number) const {
  UpdateLinks<Relax> kernel;
  for (std::size_t d = 0; d < 4; ++d)
    kernel.links[d] = links_[d].view();
  kernel.site = site_.view();
  kernel.out = links_[static_cast<std::size_t>(mu)].view();
  kernel.strength = 2 * options_.beta / 3;
  kernel.seed = options_.seed;
  kernel.sweep = number;
  kernel.mu = mu;
  kernel.parity = parity;
  return {queue_, lattice::SiteLoopCall<lattice::ColourMatrix<double>, UpdateLinks<Relax>>{
                      kernel.out, kernel, lattice::Subset::all}};
}

void Heatbath::sweep() {
  const auto over_links = [&]<bool Relax>() {
    for (int parity = 0; parity < 2; ++parity) {
      for (int mu = 0; mu < 4; ++mu)
        bind<Relax>(mu, parity, sweep_).run();
    }
  };
  over_links.template operator()<false>();
  for (int i = 0; i < options_.relaxations; ++i)
    over_links.template operator()<true>();
  ++sweep_;
}

Record Heatbath::record() const {
  return bind<false>(0, 0, sweep_).record();
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
