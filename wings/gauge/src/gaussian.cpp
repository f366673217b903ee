// Gaussian smearing.
#include <ridge/gauge/gaussian.hpp>
#include <ridge/lattice/site_call.hpp>

#include "core/refuse.hpp"

#include <cmath>
#include <utility>

namespace ridge::gauge {

struct GaussianSmearing::State {
  using Fermion = lattice::Field<Spinor<double>>;

  State(Queue& q, Links<double> given)
      : queue(q), links(std::move(given)), psi(q.device(), links.front().lattice(), "a fermion"),
        out(q.device(), links.front().lattice(), "a smeared fermion") {}

  Queue& queue;
  Links<double> links;
  Fermion psi, out;
};

GaussianSmearing::GaussianSmearing(Queue& queue, Links<double> links)
    : state_(std::make_unique<State>(queue, std::move(links))) {}
GaussianSmearing::~GaussianSmearing() = default;

void GaussianSmearing::operator()(Sites& sites, const GaussianOptions& options) {
  refuse_if(options.steps < 0 || !(options.alpha >= 0) || !std::isfinite(options.alpha),
            "smearing by {} steps of {}: expected at least 0 steps, and a number of at least 0",
            options.steps, options.alpha);
  State& s = *state_;
  s.psi.set(s.queue, sites);
  for (int i = 0; i < options.steps; ++i) {
    GaussianStep kernel;
    for (std::size_t mu = 0; mu < 3; ++mu)
      kernel.links[mu] = s.links[mu].view();
    kernel.psi = s.psi.view();
    kernel.out = s.out.view();
    kernel.centre = 1 / (1 + 6 * options.alpha);
    kernel.side = options.alpha / (1 + 6 * options.alpha);
    run_once(s.queue, lattice::SiteLoopCall<Spinor<double>, GaussianStep>{kernel.out, kernel,
                                                                          lattice::Subset::all});
    std::swap(s.psi, s.out);
  }
  sites = s.psi.get(s.queue);
}

} // namespace ridge::gauge
