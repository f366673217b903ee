#include <ridge/lattice/halo.hpp>
#include <ridge/lattice/rank_gather.hpp>

#include <cstring>

namespace ridge::lattice {

void detail::gather_sites(comm::Communicator& ranks, const RankLattice& part, const void* mine,
                          Index site_bytes, void* all) {
  check_rank(part.ranks(), part.rank(), ranks);
  if (ranks.rank() != 0) {
    const Bytes size{part.owned().count() * site_bytes};
    ranks.exchange({{const_cast<void*>(mine), size, 0, 0}}, {});
    return;
  }
  std::vector<char> theirs; // one rank after the other: memory of one part
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const RankLattice of(part.whole(), part.ranks(), rank, part.depth(), part.held().width());
    const Index sites = of.owned().count();
    const char* from = static_cast<const char*>(mine);
    if (rank != 0) {
      theirs.resize(static_cast<std::size_t>(sites * site_bytes));
      ranks.exchange({}, {{theirs.data(), Bytes{sites * site_bytes}, rank, 0}});
      from = theirs.data();
    }
    for (Index i = 0; i < sites; ++i)
      std::memcpy(static_cast<char*>(all) + of.in_whole(i) * site_bytes, from + i * site_bytes,
                  static_cast<std::size_t>(site_bytes));
  }
}

} // namespace ridge::lattice
