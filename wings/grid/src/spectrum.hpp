// Axes as trigonometric functions see them: how points continue beyond faces, and the eigenvalues
// of second differences.
#pragma once

#include <ridge/grid/problem.hpp>

#include <vector>

namespace ridge::solve::detail {

/// Weights of a second difference of order 2, 4, 6 or 8 for a spacing of 1: that of the point, then
/// those of the points at 1, 2, ... on both sides.
[[nodiscard]] std::vector<double> second_difference(int order);

/// Where a place of an axis lies among the points that are solved for, by reflection about faces
/// that are not periodic: with another sign beyond dirichlet. Sign 0: on a dirichlet face.
struct Place {
  int point = 0;
  double sign = 1;
  double face = 0; ///< what is added: multiples of the faces' values
};

/// An axis of several points, or one of one point, whose second difference is 0.
class Continued {
public:
  Continued(const GridProblem& problem, int axis);

  [[nodiscard]] int points() const { return points_; }
  /// Of place i, any number; point 0 is at 0.
  [[nodiscard]] Place at(int i) const;
  /// Places after which all repeats.
  [[nodiscard]] int period() const { return period_; }
  /// Eigenvalues of minus the second difference, of frequency m of the period.
  [[nodiscard]] double eigenvalue(double m) const;
  /// Weights by the spacing; empty of an axis of one point.
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

  /// FFTW's kinds of its transforms of real numbers there and back, and of each of their numbers
  /// the frequency. Where there are none, with mirror at one face and another condition at the
  /// other, they are those of twice as many points, reflected at the mirror.
  struct RealTransform {
    int forward, backward;
    double scale; ///< that both together multiply with
    std::vector<double> frequencies;
    int first = 0; ///< its first number is that of this place, 0 or below
  };
  [[nodiscard]] RealTransform real_transform() const;

private:
  enum class Face { periodic, dirichlet, neumann, mirror };
  int points_ = 1;
  int period_ = 1;
  Face low_ = Face::periodic, high_ = Face::periodic;
  double low_value_ = 0, high_value_ = 0, spacing_ = 1;
  std::vector<double> weights_;
};

} // namespace ridge::solve::detail
