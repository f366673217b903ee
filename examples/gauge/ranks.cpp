// The Wilson hopping term and the average plaquette over as many ranks as were started. Their bits
// are the same for every number of ranks. Usage: mpirun -n 4 gauge_ranks [DEVICE [GRID]]
#include <ridge/core/error.hpp>
#include <ridge/lattice/rank_program.hpp>
#include <ridge/lattice/rank_reduce.hpp>

#include "random_links.hpp"

#include <cstdio>

namespace {

using namespace ridge::lattice;

/// What this rank owns of a field that is small enough for every host.
template <class Site>
Field<Site> owned_part(ridge::Queue& queue, const RankLattice& part, const Field<Site>& whole) {
  const auto sites = whole.get(queue);
  std::vector<Site> mine;
  for (ridge::Index i = 0; i < part.owned().count(); ++i)
    mine.push_back(sites[static_cast<std::size_t>(part.in_whole(i))]);
  Field<Site> field(queue.device(), part.held(), whole.name());
  set_owned(queue, field, part, mine);
  return field;
}

void measure(ridge::comm::Communicator& ranks, const char* device, const char* grid) {
  ridge::Queue queue(ridge::comm::device_of_rank(ranks, device));
  const Lattice whole({8, 8, 8, 16});
  const RankLattice part(whole.extents(),
                         grid != nullptr ? ridge::parse_extents(grid, "GRID")
                                         : choose_ranks(ranks.ranks(), whole.extents()),
                         ranks.rank());
  std::vector<gauge::Link> links;
  RankOptions options{{}, {}, "gauge"};
  for (std::uint64_t mu = 0; mu < gauge::dimensions; ++mu) {
    links.push_back(owned_part(queue, part, gauge::random_links(queue, whole, mu + 1)));
    options.fixed.push_back(links.back().reals().data); // exchanged once
  }
  gauge::Fermion random(queue.device(), whole, "psi");
  fill_random(queue, random, 5);
  const gauge::Fermion psi = owned_part(queue, part, random);
  gauge::Fermion hopped(queue.device(), part.held(), "H psi");
  gauge::Fermion again(queue.device(), part.held(), "H H psi");
  Field<Complex<double>> traces(queue.device(), part.held(), "plaquettes");

  RankProgram(ranks, queue, part, ridge::gauge::hopping_call(hopped, links, psi), options).run();
  RankProgram hop(ranks, queue, part, ridge::gauge::hopping_call(again, links, hopped), options);
  hop.run();
  RankProgram(ranks, queue, part, gauge::plaquettes_call(traces, links), options).run();
  const double size = norm2(ranks, queue, part, again);
  const double plaquette =
      sum(ranks, queue, part, traces).re / (18.0 * static_cast<double>(whole.sites()));
  if (ranks.rank() == 0) {
    std::printf("%s: plaquette %.17g, norm of H H psi %.17g, grid %s, messages by %s\n",
                to_text(queue.device().id()).c_str(), plaquette, size,
                ridge::to_text(part.ranks()).c_str(),
                ridge::comm::to_text(hop.exchange().carrier()));
  }
}

} // namespace

int main(int argc, char** argv) {
  ridge::comm::Communicator& ranks = ridge::comm::world();
  try {
    measure(ranks, argc > 1 ? argv[1] : "auto", argc > 2 ? argv[2] : nullptr);
    return 0;
  } catch (const ridge::Error& error) {
    // One that fails ends all: the others would wait for it.
    if (ranks.claim_last_words())
      std::fprintf(stderr, "gauge_ranks: rank %d: %s\n", ranks.rank(), error.what());
    ranks.end_all(static_cast<int>(error.code()));
  }
}
