// How a box of points is divided among ranks, and which of them are neighbours.
#pragma once

#include <ridge/core/extents.hpp>
#include <ridge/core/units.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::comm {

/// Points from `begin` up to, not including, `end`, in coordinates of the whole field.
struct Box {
  Index3 begin, end;
  [[nodiscard]] Index3 extents() const {
    return {end.x - begin.x, end.y - begin.y, end.z - begin.z};
  }
  [[nodiscard]] bool empty() const {
    return end.x <= begin.x || end.y <= begin.y || end.z <= begin.z;
  }
  [[nodiscard]] Index count() const {
    return empty() ? 0 : (end.x - begin.x) * (end.y - begin.y) * (end.z - begin.z);
  }
  friend bool operator==(const Box&, const Box&) = default;
};

/// Points that are in both; empty where there are none.
[[nodiscard]] Box overlap(const Box& a, const Box& b);

/// One component of three by its axis: 0, 1, 2 for x, y, z.
[[nodiscard]] constexpr Index& along(Index3& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
[[nodiscard]] constexpr Index along(const Index3& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Towards a neighbour: -1, 0 or 1 along each axis. `direction_of` and `number_of` count the 27.
[[nodiscard]] constexpr Index3 direction_of(int number) {
  return {number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
}
[[nodiscard]] constexpr int number_of(const Index3& d) {
  return static_cast<int>((d.x + 1) + 3 * (d.y + 1) + 9 * (d.z + 1));
}
inline constexpr int directions = 27;

/// The points that a kernel reads of its neighbours: how deep, towards each of the 27 directions,
/// from the offsets of its footprint; of several steps at once, from all offsets that they reach
/// together.
class Reach {
public:
  Reach() = default;
  explicit Reach(const std::vector<Index3>& offsets, int steps = 1);

  /// Points along each axis that are needed from the neighbour in that direction, 0 along axes on
  /// which it does not differ; all 0 where nothing is.
  [[nodiscard]] Index3 depth(int direction) const {
    return depth_[static_cast<std::size_t>(direction)];
  }
  /// Whether anything is needed from there.
  [[nodiscard]] bool needs(int direction) const { return !(depth(direction) == Index3{}); }
  /// Greatest depth below and above a point, along each axis.
  [[nodiscard]] Index3 below() const;
  [[nodiscard]] Index3 above() const;
  /// The greater of both.
  [[nodiscard]] Index3 radius() const;

private:
  std::array<Index3, directions> depth_{};
};

/// Which axes go round: the neighbour of the last rank along them is the first.
struct Periodic {
  bool x = false, y = false, z = false;
  [[nodiscard]] bool along(int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
};

/// Ranks as a grid over the points of a field. Rank = x + X (y + Y z).
class Grid {
public:
  /// Throws UsageError unless every rank owns at least `reach.radius()` and `least` points along
  /// each axis that is divided, and one anywhere.
  Grid(Index3 points, Index3 ranks, const Reach& reach, Periodic periodic = {},
       const Index3& least = {1, 1, 1});

  [[nodiscard]] Index3 points() const { return points_; }
  [[nodiscard]] Index3 ranks() const { return ranks_; }
  [[nodiscard]] int count() const { return static_cast<int>(ranks_.x * ranks_.y * ranks_.z); }
  [[nodiscard]] const Reach& reach() const { return reach_; }
  [[nodiscard]] Periodic periodic() const { return periodic_; }

  [[nodiscard]] Index3 place(int rank) const;
  /// Points that only this rank writes.
  [[nodiscard]] Box owned(int rank) const;
  /// Those and the halo around them; without periodic axes clipped to the field.
  [[nodiscard]] Box held(int rank) const;
  /// The rank next to it in a direction; -1 where the field ends.
  [[nodiscard]] int neighbour(int rank, const Index3& direction) const;
  /// Bytes that a rank sends to others for one exchange of a field.
  [[nodiscard]] Bytes sent(int rank, int element_bytes) const;

private:
  Index3 points_, ranks_;
  Reach reach_;
  Periodic periodic_;
};

/// The largest share of a grid's points that a rank owns, in so many dimensions.
[[nodiscard]] Extents greatest_share(const Grid& grid, int dimensions);
/// The share of the rank that owns most of a size whose dimensions are divided among so many.
[[nodiscard]] Extents greatest_share(const Extents& size, const Extents& grid);

/// The points of a rank that a kernel of the grid's reach writes: those it owns, but for edges of
/// the field that does not go round. `inner` reads nothing of other ranks, `outer` does.
struct Division {
  Box inner;
  std::vector<Box> outer;
};
[[nodiscard]] Division divide(const Grid& grid, int rank);
/// A box without slabs so thick at its low and high faces, which are `outer`.
[[nodiscard]] Division divide(const Box& box, const Index3& low, const Index3& high);

/// A message of a halo exchange: points that `peer` gets from this rank, or this rank from it.
struct Route {
  int peer;
  int tag;
  Box box; ///< in coordinates of the whole field as this rank sees it
};
struct HaloPlan {
  std::vector<Route> sends, receives;
};
[[nodiscard]] HaloPlan halo_plan(const Grid& grid, int rank, const Reach& reach);

/// The grid of so many ranks whose busiest rank sends least, of those in which every rank owns what
/// its neighbours need; points sent along x count eight times, and among equals one that divides z,
/// then y, is taken. Throws UsageError where there is
/// none.
[[nodiscard]] Index3 choose_ranks(int ranks, Index3 points, const Reach& reach,
                                  Periodic periodic = {}, const Index3& least = {1, 1, 1});

/// The grid of so many ranks over a size whose ranks send least for each site, of equals the one
/// that divides later dimensions. Throws UsageError where no grid leaves each rank `least` along
/// the dimensions that are divided.
[[nodiscard]] Extents choose_grid(int ranks, const Extents& whole, int least);

/// Reads PxQxR (or P, PxQ) for so many ranks. Throws UsageError where the product is another.
[[nodiscard]] Index3 parse_ranks(std::string_view text, int ranks);
/// "1x1x2".
[[nodiscard]] std::string to_text(const Index3& ranks);

} // namespace ridge::comm
