// Plaquette and link trace on a device.
#include <ridge/gauge/plaquette.hpp>

namespace ridge::gauge {

namespace {
Plaquettes kernel_of(const Links<double>& links,
                     const lattice::Field<lattice::Complex<double>>& out) {
  Plaquettes kernel;
  for (std::size_t mu = 0; mu < 4; ++mu)
    kernel.links[mu] = links[mu].view();
  kernel.out = out.view();
  return kernel;
}
} // namespace

MeasurePlaquette::MeasurePlaquette(Queue& queue, const Links<double>& links)
    : queue_(queue), out_(queue.device(), links.front().lattice(), "plaquettes"),
      sites_(queue, lattice::SiteLoopCall<lattice::Complex<double>, Plaquettes>{
                        out_.view(), kernel_of(links, out_), lattice::Subset::all}) {}

LinkAverages MeasurePlaquette::operator()() {
  sites_.run();
  const auto total = lattice::sum(queue_, out_, {.schedule = {}, .reproducible = true});
  const auto sites = static_cast<double>(out_.lattice().sites());
  return {total.re / (18 * sites), total.im / (12 * sites)};
}

} // namespace ridge::gauge
