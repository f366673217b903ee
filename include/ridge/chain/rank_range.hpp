// How the range of a chain is divided among ranks: which items a rank owns, and which it computes
// beside them because its own results need them.
//
//   const auto division = division_of<Heat, double>(heat);
//   const RankRange range(division, {4096, 4096, 1},
//                         choose_ranks(division, world.ranks(), {4096, 4096, 1}), world.rank());
//   // each array has range.held_points(i).extents()
//
// A rank runs the chain on a range of its own, `held()`: where another rank's items begin it goes
// on by as many as all operations together reach, and what ends there is undefined within them.
#pragma once

#include <ridge/chain/description.hpp>
#include <ridge/chain/notes.hpp>
#include <ridge/comm/grid.hpp>

#include <array>
#include <string>
#include <vector>

namespace ridge::chain {

/// All of a box around an item, so many points before and behind it.
[[nodiscard]] comm::Reach box_around(const Index3& before, const Index3& behind);

/// How the range of a chain may be divided.
struct RankDivision {
  std::string name;
  std::vector<Array> arrays;
  /// Items before and behind those that a rank owns that its results need, along each dimension.
  Index3 before, behind;
  std::array<bool, 3> periodic{};
  /// Why a dimension cannot be divided; empty where it can.
  std::array<std::string, 3> undivided;

  /// All of it, with the points that exchanged arrays have beyond the range.
  [[nodiscard]] comm::Reach reach() const;
};
[[nodiscard]] RankDivision division_of(const Description& chain, const PlaceNotes& notes);
template <class C, class T>
[[nodiscard]] RankDivision division_of(const C& chain) {
  return division_of(describe<C, T>(), place_notes(chain));
}

/// The grid of so many ranks that sends least. Throws UsageError where there is none.
[[nodiscard]] Index3 choose_ranks(const RankDivision& division, int ranks, Index3 extents);

/// The part of one rank.
class RankRange {
public:
  /// Throws UsageError where the chain cannot be divided so, with the reason, or ranks would own
  /// too few items.
  RankRange(const RankDivision& division, Index3 extents, Index3 ranks, int rank);

  [[nodiscard]] const comm::Grid& grid() const { return grid_; }
  [[nodiscard]] int rank() const { return rank_; }
  /// Items in coordinates of the whole range: those that only this rank computes, and those that it
  /// runs the chain on. Along periodic dimensions that are divided, the latter go beyond its ends.
  [[nodiscard]] const comm::Box& owned() const { return owned_; }
  [[nodiscard]] const comm::Box& held() const { return held_; }
  /// Points of an array, likewise: with those beyond the range, which the last rank owns; of a
  /// profile 0 alone along x.
  [[nodiscard]] comm::Box owned_points(int array) const;
  [[nodiscard]] comm::Box held_points(int array) const;
  /// The items of an array that come from other ranks: all that is held and not owned, but
  /// profiles, which every rank has.
  [[nodiscard]] comm::Reach reach(int array) const;

private:
  [[nodiscard]] comm::Box points(int array, const comm::Box& items, bool beyond) const;

  RankDivision division_;
  comm::Grid grid_;
  int rank_;
  comm::Box owned_, held_;
};

} // namespace ridge::chain
