// Sums by a tree that ranks have made a part of each, brought together.
#pragma once

#include <ridge/comm/carrier.hpp>
#include <ridge/pairs/tree.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace ridge::nbody {

/// Messages between memory of the ranks' devices, bound anew where shares have moved.
template <class P>
class TreeExchange {
public:
  /// Collective.
  TreeExchange(comm::Communicator& ranks, Queue& queue)
      : ranks_(ranks), queue_(queue), carrier_(comm::choose_carrier(ranks, queue.device())) {}

  /// In the order of the queue. Collective.
  void run(const pairs::TreeParts<P>& parts) {
    if (parts.moved || !transfer_) bind(parts);
    transfer_->begin();
    transfer_->finish();
  }

private:
  void bind(const pairs::TreeParts<P>& parts) {
    transfer_.reset();
    const auto share_of = [&](int rank, int peer, std::vector<comm::Message>& messages) {
      const auto r = static_cast<std::size_t>(rank);
      const Index groups = parts.begins[r + 1] - parts.begins[r];
      if (groups == 0) return;
      const Index sums = 4 * (parts.place(rank + 1) - parts.place(rank));
      messages.push_back({parts.sums.data + 4 * parts.place(rank),
                          Bytes{sums * static_cast<Index>(sizeof(*parts.sums.data))}, peer, 0});
      messages.push_back({parts.met.data + 2 * parts.begins[r],
                          Bytes{2 * groups * static_cast<Index>(sizeof(std::uint32_t))}, peer, 1});
    };
    const int own = ranks_.rank();
    std::vector<comm::Message> sends;
    std::vector<comm::Message> receives;
    for (int peer = 0; peer < ranks_.ranks(); ++peer) {
      if (peer == own) continue;
      share_of(own, peer, sends);
      share_of(peer, peer, receives);
    }
    transfer_ =
        comm::bind_on_device(ranks_, queue_, carrier_, std::move(sends), std::move(receives));
  }

  comm::Communicator& ranks_;
  Queue& queue_;
  comm::Carrier carrier_;
  std::unique_ptr<comm::BoundMessages> transfer_;
};

} // namespace ridge::nbody
