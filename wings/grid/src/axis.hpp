// One axis of a grid level: its points, the weights of their neighbours, and how it is coarsened.
#pragma once

#include <ridge/grid/problem.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace ridge::solve::detail {

/// How an axis ends.
struct Wall {
  bool holds_value = false; ///< a value at the wall; else nothing flows through it
  double distance = 0;      ///< from the point next to it
};

/// Points that are solved for. Second differences are
/// low[i] (u[i-1] - u[i]) + high[i] (u[i+1] - u[i]), where beyond a wall that holds a value stands
/// that value.
struct Axis {
  bool is_periodic = false;
  Wall walls[2];
  std::vector<double> gaps; ///< from each point to the next; of a periodic axis also from the last
  std::vector<double> volume; ///< of each point along this axis
  std::vector<double> low, high;

  [[nodiscard]] int points() const { return static_cast<int>(volume.size()); }
  /// The mean distance between points.
  [[nodiscard]] double spacing() const;
  /// Whether point i has that neighbour: 0 the one before, 1 the one behind.
  [[nodiscard]] bool has_neighbour(int i, int side) const {
    return is_periodic || (side == 0 ? i > 0 : i + 1 < points());
  }
  /// The points around the middle one, first and behind the last, whose weights are its weights
  /// and that have both neighbours.
  [[nodiscard]] std::pair<int, int> even_points() const;
  /// Whether the last point on a side is a wall that nothing flows through: what would lie beyond
  /// is what lies before it.
  [[nodiscard]] bool mirrors(int side) const;
  /// True if all points weigh alike, towards walls and what mirrors show, too.
  [[nodiscard]] bool is_uniform() const;
};

/// The finest level's axis.
[[nodiscard]] Axis finest_axis(const GridProblem& problem, int axis);

/// What an axis becomes on the next level. Fine point i lies between coarse points left[i] and
/// right[i], and interpolation takes weight[i] of the right one and the rest of the left one; where
/// it takes nothing of one, that is the same point as the other.
struct Coarsening {
  Axis axis;
  std::vector<int> left, right;
  std::vector<double> left_weight, right_weight;
  /// Restriction, the transpose with volumes: coarse point i takes fine points centre[i] - reach[i]
  /// to centre[i] + reach[i], taken[5 i + 2 + k] of the k-th.
  std::vector<int> centre, reach;
  std::vector<double> taken;
};

/// Every other point; those next to walls as far as they keep distances alike.
[[nodiscard]] Coarsening coarsened(const Axis& axis);
/// Whether all points weigh alike and mirrors show coarse points as they show fine ones.
[[nodiscard]] bool weighs_alike(const Axis& axis, const Coarsening& coarsening);
/// All points.
[[nodiscard]] Coarsening kept(const Axis& axis);

/// A coarsening whose coarse points lie at `first` + i, or `first` + 2 i where it is halved.
struct Steps {
  int first = 0;
  bool is_halved = false;
  std::vector<double> taken; ///< three a coarse point: of the fine points around its place
  std::vector<double> given; ///< two a fine point: of the coarse points on both sides of it
};
/// Nothing where a point reaches further, as over the ends of a periodic axis of odd extent. A
/// last point that lies nearer than two steps fits: its weights are those of where it should lie.
[[nodiscard]] std::optional<Steps> steps_of(const Axis& axis, const Coarsening& coarsening);

/// Which axes of a level are coarsened: those with the closest points, that have enough of them.
[[nodiscard]] std::vector<bool> coarsened_axes(const std::vector<Axis>& axes);

} // namespace ridge::solve::detail
