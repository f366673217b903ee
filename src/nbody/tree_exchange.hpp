// Sums by a tree that ranks have made a part of each, brought together.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/pairs/tree.hpp>

#include <algorithm>
#include <vector>

namespace ridge::nbody {

/// Which bodies a rank has sums of changes with each tree. Memory is the host's.
template <class P>
class TreeExchange {
  using T = typename P::Summed;

public:
  explicit TreeExchange(comm::Communicator& ranks) : ranks_(&ranks) {}

  /// Collective.
  void run(const pairs::TreeParts<P>& parts) {
    const Index bodies = parts.order.size;
    all_.resize(static_cast<std::size_t>(4 * bodies));
    const auto slot_of = [&](int rank) { // its first
      return std::min(bodies, parts.begins[static_cast<std::size_t>(rank)] * parts.group);
    };
    const auto share_of = [&](int rank, int peer, std::vector<comm::Message>& messages) {
      const Index groups = parts.begins[static_cast<std::size_t>(rank) + 1] -
                           parts.begins[static_cast<std::size_t>(rank)];
      if (groups == 0) return;
      const Bytes sums{4 * (slot_of(rank + 1) - slot_of(rank)) * static_cast<Index>(sizeof(T))};
      messages.push_back({all_.data() + 4 * slot_of(rank), sums, peer, 0});
      messages.push_back({parts.met.data + 2 * parts.begins[static_cast<std::size_t>(rank)],
                          Bytes{2 * groups * static_cast<Index>(sizeof(std::uint32_t))}, peer, 1});
    };
    const int own = ranks_->rank();
    std::vector<comm::Message> sends;
    std::vector<comm::Message> receives;
    for (int peer = 0; peer < ranks_->ranks(); ++peer) {
      if (peer == own) continue;
      share_of(own, peer, sends);
      share_of(peer, peer, receives);
    }
    for_each_slot(slot_of(own), slot_of(own + 1), [&](Index slot) {
      for (std::size_t c = 0; c < 4; ++c)
        all_[static_cast<std::size_t>(4 * slot) + c] = parts.sums[c].data[parts.order.data[slot]];
    });
    const auto transfer = ranks_->bind(std::move(sends), std::move(receives));
    transfer->begin();
    transfer->finish();
    const auto take = [&](Index slot) {
      for (std::size_t c = 0; c < 4; ++c)
        parts.sums[c].data[parts.order.data[slot]] = all_[static_cast<std::size_t>(4 * slot) + c];
    };
    for_each_slot(0, slot_of(own), take);
    for_each_slot(slot_of(own + 1), bodies, take);
  }

private:
  template <class Take>
  static void for_each_slot(Index begin, Index end, const Take& take) {
    constexpr Index few = 16384; // waking threads takes longer
    const int most = end - begin < few ? 1 : cpu::default_threads();
    cpu::run(most, [&](int thread, int team) {
      const cpu::Range mine = cpu::share_of(end - begin, thread, team);
      for (Index k = mine.begin; k < mine.end; ++k)
        take(begin + k);
    });
  }

  comm::Communicator* ranks_;
  std::vector<T> all_; ///< four sums a place along the curve
};

} // namespace ridge::nbody
