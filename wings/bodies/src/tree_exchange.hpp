// Sums by a tree that ranks have made a part of each, brought together.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/device/exported.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/memory.hpp>
#include <ridge/pairs/tree.hpp>

#include <array>
#include <vector>

namespace ridge::nbody {

/// Messages between memory of the ranks' devices, bound anew where shares have outgrown them. GPUs
/// that reach each other's memory write sums there as they walk.
template <class P>
class TreeExchange final : public pairs::TreeMessages<P> {
  using Sums = pairs::TreeSums<P>;

public:
  /// Collective.
  TreeExchange(comm::Communicator& ranks, Queue& queue) : at_(ranks, queue) {
    if (!reaches_others()) return;
    constexpr Index word = 16; // bytes
    words_ = Memory(queue.device(), Bytes{ranks.ranks() * word}, "signals between ranks");
    fill_bytes(queue, words_.data(), 0, words_.size());
    const auto word_of = [&](int rank) {
      return comm::Pieces{comm::Piece::of(static_cast<char*>(words_.data()) + rank * word, word)};
    };
    meeting_ = comm::Transfer(at_, comm::to_all(ranks, word_of));
  }

  [[nodiscard]] bool reaches_others() const override {
    return at_.carrier == comm::Carrier::peer &&
           at_.ranks.ranks() - 1 <= pairs::TreeWalk<P>::most_others;
  }
  void bind(const pairs::TreeParts<P>& parts, const Sums& here) override {
    transfer_ = {};
    if (reaches_others()) reach(here);
    const auto share_of = [&](int rank) {
      const Index sums = 4 * parts.room * parts.group;
      const Index met = 2 * parts.room;
      comm::Pieces pieces{comm::Piece::of(parts.met.data + met * rank, met)};
      if (!reaches_others()) pieces.push_back(comm::Piece::of(parts.sums.data + sums * rank, sums));
      return pieces;
    };
    transfer_ = comm::Transfer(at_, comm::to_all(at_.ranks, share_of));
  }
  [[nodiscard]] std::vector<Sums> others() const override { return others_; }
  void meet() override { meeting_.run(); }
  void run() override { transfer_.run(); }

private:
  void reach(const Sums& mine) {
    at_.queue.wait();
    const Device& device = at_.queue.device();
    others_.clear();
    reached_.clear();
    std::array<ExportedMemory, 4> exported;
    for (std::size_t c = 0; c < 4; ++c)
      exported[c] = export_memory(device, mine[c].data).value();
    const auto all = at_.ranks.gather(exported);
    for (int rank = 0; rank < at_.ranks.ranks(); ++rank) {
      if (rank == at_.ranks.rank()) continue;
      Sums& theirs = others_.emplace_back(mine);
      for (std::size_t c = 0; c < 4; ++c) {
        const ExportedMemory& memory = all[static_cast<std::size_t>(rank)][c];
        auto* const begin = static_cast<char*>(reached_.emplace_back(device, memory).data());
        theirs[c].data = reinterpret_cast<typename P::Summed*>(begin + memory.offset);
      }
    }
  }

  comm::Endpoint at_;
  std::vector<ImportedMemory> reached_;
  std::vector<Sums> others_;
  Memory words_; ///< of the messages that ranks meet by
  comm::Transfer transfer_, meeting_;
};

} // namespace ridge::nbody
