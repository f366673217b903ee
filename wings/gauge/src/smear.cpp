// APE and stout smearing.
#include <ridge/core/error.hpp>
#include <ridge/gauge/smear.hpp>

#include "over_ranks.hpp"

#include <cmath>

namespace ridge::gauge {

namespace {

template <bool Stout>
void smear_once(Queue& queue, Links<double>& out, const Links<double>& links,
                const SmearOptions& options) {
  const int dimensions_smeared = options.spatial ? 3 : 4;
  const int staples = 2 * (dimensions_smeared - 1);
  for (int mu = 0; mu < dimensions_smeared; ++mu) {
    SmearLinks<Stout> kernel;
    for (std::size_t d = 0; d < 4; ++d)
      kernel.links[d] = links[d].view();
    kernel.out = out[static_cast<std::size_t>(mu)].view();
    kernel.weight = options.weight;
    kernel.each = Stout ? options.weight : options.weight / staples;
    kernel.mu = mu;
    kernel.planes = dimensions_smeared;
    run_once(queue, lattice::SiteLoopCall<lattice::ColourMatrix<double>, SmearLinks<Stout>>{
                        kernel.out, kernel, lattice::Subset::all});
  }
  queue.wait();
}

} // namespace

void smear(Queue& queue, Links<double>& links, const SmearOptions& options) {
  smear(one_rank(), queue, whole_part(links.front().lattice()), links, options);
}
void smear(comm::Communicator& ranks, Queue& queue, const lattice::RankLattice& part,
           Links<double>& links, const SmearOptions& options) {
  if (!std::isfinite(options.weight)) throw UsageError("the weight of staples is no number");
  Links<double> out;
  for (const auto& link : links)
    out.emplace_back(queue.device(), link.lattice(), "smeared links");
  for (int i = 0; i < options.steps; ++i) {
    if (ranks.ranks() > 1) {
      std::vector<lattice::FieldReach> reads;
      for (const auto& link : links)
        reads.push_back(all_around(link, true));
      lattice::HaloExchange exchange(ranks, queue, part, reads);
      exchange.run();
      queue.wait(); // the messages' memory goes
    }
    options.stout ? smear_once<true>(queue, out, links, options)
                  : smear_once<false>(queue, out, links, options);
    for (std::size_t mu = 0; mu < (options.spatial ? 3U : 4U); ++mu)
      std::swap(links[mu], out[mu]);
  }
}

} // namespace ridge::gauge
