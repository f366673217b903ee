// Plaquette and link trace on a device.
#include <ridge/gauge/plaquette.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "over_ranks.hpp"

namespace ridge::gauge {

namespace {
lattice::SiteLoopCall<lattice::Complex<double>, Plaquettes>
call_of(const Links<double>& links, const lattice::Field<lattice::Complex<double>>& out) {
  Plaquettes kernel;
  for (std::size_t mu = 0; mu < 4; ++mu)
    kernel.links[mu] = links[mu].view();
  kernel.out = out.view();
  return {out.view(), kernel, lattice::Subset::all};
}
} // namespace

MeasurePlaquette::MeasurePlaquette(Queue& queue, const Links<double>& links)
    : MeasurePlaquette(one_rank(), queue, whole_part(links.front().lattice()), links) {}

MeasurePlaquette::MeasurePlaquette(comm::Communicator& ranks, Queue& queue,
                                   const lattice::RankLattice& part, const Links<double>& links)
    : ranks_(ranks), queue_(queue), part_(part), out_(queue.device(), part.held(), "plaquettes"),
      sites_(ranks, queue, part, call_of(links, out_)) {}

LinkAverages MeasurePlaquette::operator()() {
  sites_.run();
  const auto total = ranks_.ranks() == 1
                         ? lattice::sum(queue_, out_, {.schedule = {}, .reproducible = true})
                         : lattice::sum(ranks_, queue_, part_, out_);
  const auto sites = static_cast<double>(part_.whole().count());
  return {total.re / (18 * sites), total.im / (12 * sites)};
}

Record MeasurePlaquette::record() const {
  Record record = sites_.record();
  if (ranks_.ranks() == 1) record.details.clear(); // how ranks share the lattice
  return record;
}

} // namespace ridge::gauge
