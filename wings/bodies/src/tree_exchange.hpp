// Sums by a tree that ranks have made a part of each, brought together.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/pairs/tree.hpp>

namespace ridge::nbody {

/// Messages between memory of the ranks' devices, bound anew where shares have outgrown them.
template <class P>
class TreeExchange {
public:
  /// Collective.
  TreeExchange(comm::Communicator& ranks, Queue& queue) : at_(ranks, queue) {}

  /// In the order of the queue. Collective.
  void run(const pairs::TreeParts<P>& parts) {
    if (parts.has_grown || !transfer_) bind(parts);
    transfer_.run();
  }

private:
  void bind(const pairs::TreeParts<P>& parts) {
    transfer_ = {};
    const auto share_of = [&](int rank) -> comm::Pieces {
      const Index sums = 4 * parts.room * parts.group;
      return {comm::Piece::of(parts.sums.data + sums * rank, sums),
              comm::Piece::of(parts.met.data + 2 * parts.room * rank, 2 * parts.room)};
    };
    transfer_ = comm::Transfer(at_, comm::to_all(at_.ranks, share_of));
  }

  comm::Endpoint at_;
  comm::Transfer transfer_;
};

} // namespace ridge::nbody
