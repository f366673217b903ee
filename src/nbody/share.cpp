#include "share.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

namespace ridge::nbody {

Share::Share(comm::Communicator& ranks, Index bodies) : ranks_(ranks), bodies_(bodies) {
  if (bodies < ranks.ranks()) {
    throw UsageError(fmt::format("{} ranks are too many for {} {}: each keeps at least "
                                 "one; start fewer",
                                 ranks.ranks(), bodies, bodies == 1 ? "body" : "bodies"));
  }
}

void Share::gather(const std::vector<std::vector<double>*>& arrays) const {
  if (ranks_.ranks() == 1) return;
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  constexpr auto each = static_cast<Index>(sizeof(double));
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const int tag = static_cast<int>(a);
    double* const all = arrays[a]->data();
    for (int peer = 0; peer < ranks_.ranks(); ++peer) {
      if (peer == ranks_.rank()) continue;
      sends.push_back({all + begin(), Bytes{count() * each}, peer, tag});
      receives.push_back({all + begin_of(peer), Bytes{count_of(peer) * each}, peer, tag});
    }
  }
  const auto transfer = ranks_.bind(std::move(sends), std::move(receives));
  transfer->begin();
  transfer->finish();
}

} // namespace ridge::nbody
