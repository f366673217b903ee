// Fields of the ranks beside this one, which its device writes to as it computes: what they need is
// on its way from the first result on, and no exchange follows the launch.
#pragma once

#include <ridge/comm/copy_boxes.hpp>
#include <ridge/comm/grid.hpp>
#include <ridge/comm/transfer.hpp>
#include <ridge/device/exported.hpp>
#include <ridge/device/memory.hpp>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace ridge::comm {

/// The fields of the ranks below (side 0) and above (side 1) along z.
class NeighbourFields {
public:
  /// `fields` lie alike; what this rank owns of them begins at plane `owned_begin`. None where
  /// ranks divide other axes than z, where their devices do not write into each other's memory, or
  /// where their fields differ in strides. Collective.
  [[nodiscard]] static std::unique_ptr<NeighbourFields>
  reach(Communicator& communicator, Queue& queue, const Grid& grid,
        const std::vector<FieldMemory>& fields, Index owned_begin);

  [[nodiscard]] bool is_there(int side) const { return sides_[at(side)].rank >= 0; }
  /// Planes that the rank on that side needs of what this one owns, from its end on.
  [[nodiscard]] Index needed(int side) const { return sides_[at(side)].needed; }
  /// Elements from a point that it needs of a field to where it has the point itself.
  [[nodiscard]] Index further(int field, int side) const {
    return sides_[at(side)].further[at(field)];
  }
  /// In the order of the queue: work given before it is done, and the neighbours' likewise, before
  /// what follows begins. Collective.
  void meet() { meeting_.run(); }

private:
  struct Side {
    int rank = -1;
    Index needed = 0;
    std::vector<Index> further;
  };
  NeighbourFields(std::array<Side, 2> sides, std::vector<ImportedMemory> reached)
      : sides_(std::move(sides)), reached_(std::move(reached)) {}
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::array<Side, 2> sides_;
  std::vector<ImportedMemory> reached_;
  Memory words_; ///< of the messages that ranks meet by
  Transfer meeting_;
};

} // namespace ridge::comm
