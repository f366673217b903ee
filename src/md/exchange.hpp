// Sums over near pairs that ranks have computed a part of each, brought together.
#pragma once

#include <ridge/comm/communicator.hpp>
#include <ridge/device/cpu/parallel.hpp>
#include <ridge/device/view.hpp>
#include <ridge/pairs/lists/data.hpp>

#include <array>
#include <memory>
#include <vector>

namespace ridge::md {

/// Each rank has sums of the bodies of a range of slots, which are different bodies whenever lists
/// are built; ranges are not. All ranks get all sums. Memory is the host's.
template <class T>
class Exchange {
public:
  /// `groups` of `share` slots are shared out as lists with parts are.
  Exchange(comm::Communicator& ranks, Index bodies, int share) : rank_(ranks.rank()) {
    const Index groups = ceil_div(bodies, Index{share});
    for (int r = 0; r <= ranks.ranks(); ++r)
      begins_.push_back(std::min(bodies, groups * r / ranks.ranks() * share));
    all_.resize(static_cast<std::size_t>(3 * bodies));
    std::vector<comm::Message> sends;
    std::vector<comm::Message> receives;
    for (int peer = 0; peer < ranks.ranks(); ++peer) {
      if (peer == rank_) continue;
      if (count_of(rank_) > 0) sends.push_back({block(rank_), bytes_of(rank_), peer, 0});
      if (count_of(peer) > 0) receives.push_back({block(peer), bytes_of(peer), peer, 0});
    }
    transfer_ = ranks.bind(std::move(sends), std::move(receives));
  }

  /// `sums` of the own bodies are right; afterwards all are.
  void run(const pairs::ListData& lists, const std::array<Span<T>, 3>& sums) {
    for_each_slot(rank_, [&](Index slot, T* to) {
      for (std::size_t c = 0; c < 3; ++c)
        to[c] = sums[c].data[lists.body.data[slot]];
    });
    transfer_->begin();
    transfer_->finish();
    for (int r = 0; r + 1 < static_cast<int>(begins_.size()); ++r) {
      if (r == rank_) continue;
      for_each_slot(r, [&](Index slot, const T* from) {
        for (std::size_t c = 0; c < 3; ++c)
          sums[c].data[lists.body.data[slot]] = from[c];
      });
    }
  }

private:
  [[nodiscard]] Index begin_of(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] Index count_of(int rank) const { return begin_of(rank + 1) - begin_of(rank); }
  [[nodiscard]] T* block(int rank) { return all_.data() + 3 * begin_of(rank); }
  [[nodiscard]] Bytes bytes_of(int rank) const {
    return Bytes{3 * count_of(rank) * static_cast<Index>(sizeof(T))};
  }
  template <class Take>
  void for_each_slot(int rank, const Take& take) {
    constexpr Index few = 16384; // waking threads takes longer
    const Index count = count_of(rank);
    cpu::run(count < few ? 1 : cpu::default_threads(), [&](int thread, int team) {
      const cpu::Range mine = cpu::share_of(count, thread, team);
      for (Index k = mine.begin; k < mine.end; ++k)
        take(begin_of(rank) + k, block(rank) + 3 * k);
    });
  }

  int rank_;
  std::vector<Index> begins_; ///< slots of each rank, and their end
  std::vector<T> all_;        ///< three sums a slot
  std::unique_ptr<comm::Transfer> transfer_;
};

} // namespace ridge::md
