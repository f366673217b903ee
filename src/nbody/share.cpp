#include "share.hpp"

#include <ridge/core/error.hpp>

#include <fmt/format.h>

namespace ridge::nbody {

Share::Share(comm::Communicator& ranks, Index bodies) : ranks_(ranks), bodies_(bodies) {
  if (bodies < ranks.ranks()) {
    throw UsageError(fmt::format("{} ranks are too many for {} {}: each computes the forces on at "
                                 "least one; start fewer",
                                 ranks.ranks(), bodies, bodies == 1 ? "body" : "bodies"));
  }
}

std::unique_ptr<comm::Transfer> Share::bind(Queue& queue, const std::vector<void*>& arrays,
                                            Index element_bytes) const {
  if (ranks_.ranks() == 1) return nullptr;
  std::vector<comm::Message> sends;
  std::vector<comm::Message> receives;
  const int me = ranks_.rank();
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const int tag = static_cast<int>(a);
    for (int peer = 0; peer < ranks_.ranks(); ++peer) {
      if (peer == me) continue;
      const Index place = (begin_of(peer) - begin_of(me) + bodies_) % bodies_;
      char* const array = static_cast<char*>(arrays[a]);
      sends.push_back({array, Bytes{count() * element_bytes}, peer, tag});
      receives.push_back(
          {array + place * element_bytes, Bytes{count_of(peer) * element_bytes}, peer, tag});
    }
  }
  const comm::Carrier carrier = comm::choose_carrier(ranks_, queue.device());
  return comm::bind_on_device(ranks_, queue, carrier, std::move(sends), std::move(receives));
}

} // namespace ridge::nbody
