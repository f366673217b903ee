// Sources that go round the ranks: each rank has every rank's bodies once, while it computes with
// those that it had before.
#pragma once

#include <ridge/comm/transfer.hpp>
#include <ridge/device/memory.hpp>

#include <array>

namespace ridge::nbody {

/// Blocks of memory of one size. In stage s a rank has the block of the rank s before it; while it
/// computes with that, the next one comes. Two blocks beside its own are all that it keeps.
/// Collective.
class Ring {
public:
  /// `own`: this rank's block. It and the queue must outlive the ring. It goes `stages` - 1 ranks
  /// far: all round with as many stages as ranks.
  Ring(comm::Communicator& ranks, Queue& work, void* own, Bytes block, int stages);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int stages() const { return stages_; }
  /// Whose block it is in a stage, and who then has this rank's.
  [[nodiscard]] int owner(int stage) const { return (rank_ - stage + ranks_) % ranks_; }
  [[nodiscard]] int holder(int stage) const { return (rank_ + stage) % ranks_; }
  [[nodiscard]] void* block(int stage) const;

  /// Before the work of a stage is given to the queue: passes its block on, and takes the next one
  /// into the memory that the stage before it has read.
  void begin(int stage);
  /// After it: work given from now on has the next block.
  void finish(int stage);

  [[nodiscard]] Bytes held() const {
    return {visitors_[0].size().value + visitors_[1].size().value};
  }

private:
  int rank_, ranks_, stages_;
  void* own_;
  std::array<Memory, 2> visitors_;
  comm::Transfer moves_; ///< a phase from each stage to the next, while the work goes on
};

} // namespace ridge::nbody
