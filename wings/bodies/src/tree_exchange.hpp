// Sums by a tree that ranks have made a part of each, brought together.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/pairs/tree.hpp>

namespace ridge::nbody {

/// Messages between memory of the ranks' devices, bound anew where shares have moved.
template <class P>
class TreeExchange {
public:
  /// Collective.
  TreeExchange(comm::Communicator& ranks, Queue& queue) : at_(ranks, queue) {}

  /// In the order of the queue. Collective.
  void run(const pairs::TreeParts<P>& parts) {
    if (parts.moved || !transfer_) bind(parts);
    transfer_.run();
  }

private:
  void bind(const pairs::TreeParts<P>& parts) {
    transfer_ = {};
    const auto share_of = [&](int rank) -> comm::Pieces {
      const auto r = static_cast<std::size_t>(rank);
      const Index groups = parts.begins[r + 1] - parts.begins[r];
      const Index sums = groups == 0 ? 0 : 4 * (parts.place(rank + 1) - parts.place(rank));
      return {comm::Piece::of(parts.sums.data + 4 * parts.place(rank), sums),
              comm::Piece::of(parts.met.data + 2 * parts.begins[r], 2 * groups)};
    };
    transfer_ = comm::Transfer(at_, comm::to_all(at_.ranks, share_of));
  }

  comm::Endpoint at_;
  comm::Transfer transfer_;
};

} // namespace ridge::nbody
