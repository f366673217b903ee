#include "share.hpp"

#include <ridge/comm/transfer.hpp>

#include "core/refuse.hpp"

#include <utility>

namespace ridge::nbody {

Share::Share(comm::Communicator& ranks, Index bodies) : ranks_(ranks), bodies_(bodies) {
  refuse_if(bodies < ranks.ranks(),
            "{} ranks are too many for {} {}: each keeps at least one; start fewer", ranks.ranks(),
            bodies, bodies == 1 ? "body" : "bodies");
}

void Share::gather(const std::vector<std::vector<double>*>& arrays) const {
  if (ranks_.ranks() == 1) return;
  auto all = comm::to_all(ranks_, [&](int rank) {
    comm::Pieces shares; // one an array
    for (const std::vector<double>* const array : arrays)
      shares.push_back(comm::Piece::of(array->data() + begin_of(rank), count_of(rank)));
    return shares;
  });
  ranks_.exchange(std::move(all.sends), std::move(all.receives));
}

} // namespace ridge::nbody
