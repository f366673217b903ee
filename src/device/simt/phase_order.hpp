// What phase barriers order: which accesses of which lanes come before those of a lane now.
//
// Each lane knows, for every other, a stamp below which all accesses of that one are ordered before
// its own (a vector clock). A lane that arrives at a phase barrier gives the barrier what it knows,
// and its own accesses up to now, and those of its warp up to the last warp barrier; a lane that
// has waited for the phase takes that over. Lanes share what they know, which is rarely changed.
#pragma once

#include <ridge/device/simt/block.hpp>

#include <array>
#include <memory>
#include <vector>

namespace ridge::simt {

struct Knowledge {
  std::vector<AccessRecord> lanes; ///< stamps
  std::vector<long long> phases;   ///< of each barrier: how many are known to be over

  void know(std::size_t barrier, long long phases_over);
  /// True when that taught something.
  bool learn(const Knowledge& other);
};
using SharedKnowledge = std::shared_ptr<const Knowledge>;

/// The bulk copies that a lane issues in one phase of one barrier.
struct Flight {
  int barrier; ///< which of the block
  int index;   ///< of that barrier in its array
  long long phase;
  int rank;
};

class PhaseOrder {
public:
  /// Lanes of `block` know nothing of one another yet.
  void begin(const Block& block);

  /// Whether `record` is before the accesses that the lane `me` makes now, unless block barriers,
  /// which the shadow knows about, order it.
  [[nodiscard]] bool before(AccessRecord record, int me) const;
  /// Whether the lane `me` knows that the copies of a flight have arrived.
  [[nodiscard]] bool arrived(int flight, int me) const;
  [[nodiscard]] const Flight& flight(int number) const {
    return flights_[static_cast<std::size_t>(number)];
  }
  /// Returns its number.
  [[nodiscard]] int add(const Flight& flight);

  /// Adds to `to` what comes before the new `stamp` of the lane.
  void release(int rank, AccessRecord stamp, Knowledge& to) const;
  void acquire(int rank, const SharedKnowledge& from);
  /// Lanes have met: each knows what any of them knew.
  void merge(int first, int lanes);

private:
  [[nodiscard]] SharedKnowledge joined(const SharedKnowledge& a, const SharedKnowledge& b);

  struct Join {
    SharedKnowledge a, b, result;
  };
  const Block* block_ = nullptr;
  std::vector<SharedKnowledge> known_; ///< by each lane
  std::array<Join, 4> recent_;         ///< many lanes learn the same
  std::size_t oldest_ = 0;
  std::vector<Flight> flights_;
};

} // namespace ridge::simt
