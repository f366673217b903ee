#include <ridge/lattice/halo.hpp>
#include <ridge/lattice/rank_gather.hpp>

#include <algorithm>
#include <cstring>

namespace ridge::lattice {

void detail::gather_sites(comm::Communicator& ranks, const RankLattice& part, const void* mine,
                          Index site_bytes, void* all) {
  check_rank(part, ranks);
  constexpr Index most = Index{1} << 30; // of a message
  const auto cut = [most](const void* data, Index bytes, int peer) {
    std::vector<comm::Message> messages;
    auto* at = static_cast<char*>(const_cast<void*>(data));
    for (int tag = 0; bytes > 0; ++tag) {
      const Index now = std::min(bytes, most);
      messages.push_back({at, Bytes{now}, peer, tag});
      at += now;
      bytes -= now;
    }
    return messages;
  };
  const auto transfer = [&](std::vector<comm::Message> sends, std::vector<comm::Message> receives) {
    const auto bound = ranks.bind(std::move(sends), std::move(receives));
    bound->begin();
    bound->finish();
  };
  if (ranks.rank() != 0) {
    transfer(cut(mine, part.owned().count() * site_bytes, 0), {});
    return;
  }
  std::vector<char> theirs; // one rank after the other: memory of one part
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const RankLattice of(part.whole(), part.ranks(), rank, part.depth(), part.held().width());
    const Index sites = of.owned().count();
    const char* from = static_cast<const char*>(mine);
    if (rank != 0) {
      theirs.resize(static_cast<std::size_t>(sites * site_bytes));
      transfer({}, cut(theirs.data(), sites * site_bytes, rank));
      from = theirs.data();
    }
    for (Index i = 0; i < sites; ++i)
      std::memcpy(static_cast<char*>(all) + of.in_whole(i) * site_bytes, from + i * site_bytes,
                  static_cast<std::size_t>(site_bytes));
  }
}

} // namespace ridge::lattice
