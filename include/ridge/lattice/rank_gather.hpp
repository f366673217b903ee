// Fields over ranks brought to one rank: what files are written from.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/lattice/rank_lattice.hpp>

#include <vector>

namespace ridge::lattice {

namespace detail {
/// `mine`: `site_bytes` of each site that this rank owns. Puts those of all ranks where they are in
/// plain order of the whole lattice, on rank 0; `all` is not looked at elsewhere.
void gather_sites(comm::Communicator& ranks, const RankLattice& part, const void* mine,
                  Index site_bytes, void* all);
} // namespace detail

/// The sites of all ranks in plain order of the whole lattice, on rank 0; nothing on the others.
/// Waits; collective.
template <class Site>
[[nodiscard]] std::vector<Site> get_whole(comm::Communicator& ranks, Queue& queue,
                                          const Field<Site>& field, const RankLattice& part) {
  const auto mine = get_owned(queue, field, part);
  if (ranks.ranks() == 1) return mine;
  std::vector<Site> all;
  if (ranks.rank() == 0) all.resize(static_cast<std::size_t>(part.whole().count()));
  detail::gather_sites(ranks, part, mine.data(), sizeof(Site), all.data());
  return all;
}

/// The sites of the whole lattice that this rank owns.
template <class Site>
[[nodiscard]] std::vector<Site> owned_of(const std::vector<Site>& whole, const RankLattice& part) {
  std::vector<Site> mine(static_cast<std::size_t>(part.owned().count()));
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] = whole[static_cast<std::size_t>(part.in_whole(static_cast<Index>(i)))];
  return mine;
}

} // namespace ridge::lattice
