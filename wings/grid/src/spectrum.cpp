#include "spectrum.hpp"

#include <ridge/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace ridge::solve::detail {

std::vector<double> second_difference(int order) {
  switch (order) {
  case 2:
    return {-2, 1};
  case 4:
    return {-5.0 / 2, 4.0 / 3, -1.0 / 12};
  case 6:
    return {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};
  case 8:
    return {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  default:
    throw UsageError("the order of an elliptic problem is 2, 4, 6 or 8, not " +
                     std::to_string(order));
  }
}

Continued::Continued(const GridProblem& problem, int axis) {
  const auto of = [axis](const auto& three) {
    return axis == 0 ? three.x : axis == 1 ? three.y : three.z;
  };
  const Index n = of(problem.extents);
  if (n == 1) return;
  spacing_ = of(problem.boundaries.spacing);
  points_ = static_cast<int>(n);
  const auto& faces = problem.boundaries.faces[static_cast<std::size_t>(axis)];
  const auto read = [&](const stencil::Condition& c, Face& face, double& value) {
    value = c.value;
    switch (c.kind) {
    case stencil::Boundary::dirichlet:
      face = Face::dirichlet;
      --points_;
      break;
    case stencil::Boundary::neumann:
      face = Face::neumann;
      break;
    case stencil::Boundary::mirror:
      face = Face::mirror;
      break;
    default:
      face = Face::periodic;
    }
  };
  read(faces[0], low_, low_value_);
  read(faces[1], high_, high_value_);
  if (low_ == Face::periodic) {
    period_ = points_;
  } else {
    // Twice the distance of the faces in halves of points.
    const auto beyond = [](Face f) { return f == Face::dirichlet ? 2 : f == Face::mirror ? 1 : 0; };
    const int twice = 2 * (points_ - 1) + beyond(low_) + beyond(high_);
    const bool odd = (low_ == Face::dirichlet) != (high_ == Face::dirichlet);
    period_ = odd ? 2 * twice : twice;
  }
  weights_ = second_difference(problem.order);
  for (double& w : weights_)
    w /= spacing_ * spacing_;
}

Place Continued::at(int i) const {
  Place place;
  if (low_ == Face::periodic) {
    place.point = ((i % points_) + points_) % points_;
    return place;
  }
  while (place.sign != 0) {
    if (i >= 0 && i < points_) {
      place.point = i;
      return place;
    }
    const bool below = i < 0;
    const Face face = below ? low_ : high_;
    const double value = below ? low_value_ : high_value_;
    const int outside = below ? -i : i - (points_ - 1); // how far from the last point
    if (face == Face::dirichlet) {                      // odd about the face, one beyond it
      if (outside == 1) {
        place.face += place.sign * value;
        place.sign = 0;
        return place;
      }
      place.face += place.sign * 2 * value;
      place.sign = -place.sign;
      i = below ? outside - 2 : points_ - 1 - (outside - 2);
    } else if (face == Face::neumann) { // even about the last point
      place.face += place.sign * 2 * outside * spacing_ * value;
      i = below ? outside : points_ - 1 - outside;
    } else {
      i = below ? outside - 1 : points_ - outside;
    }
  }
  return place;
}

double Continued::eigenvalue(double m) const {
  if (weights_.empty()) return 0;
  // By squares of sines: differences of cosines lose digits for low frequencies.
  double sum = 0;
  for (std::size_t k = 1; k < weights_.size(); ++k) {
    const double s = std::sin(std::numbers::pi * m * static_cast<double>(k) / period_);
    sum += 4 * weights_[k] * s * s;
  }
  return std::max(sum, 0.0);
}

Continued::RealTransform Continued::real_transform() const {
  // FFTW's numbers: 0 R2HC, 1 HC2R, 3 REDFT00, 4 REDFT01, 5 REDFT10, 7 RODFT00, 8 RODFT01, 9
  // RODFT10.
  RealTransform t{0, 1, static_cast<double>(period_), {}};
  int numbers = points_;
  double first = 0;
  double step = 1; // from one frequency to the next, of the period
  if (low_ == Face::dirichlet && high_ == Face::dirichlet) {
    t.forward = t.backward = 7;
    first = 1;
  } else if (low_ == Face::neumann && high_ == Face::neumann) {
    t.forward = t.backward = 3;
  } else if (low_ == Face::mirror && high_ == Face::mirror) {
    t.forward = 5;
    t.backward = 4;
  } else if (low_ == Face::dirichlet && high_ == Face::neumann) {
    t.forward = 8;
    t.backward = 9;
    first = 1;
    step = 2;
    t.scale /= 2;
  } else if (low_ == Face::neumann && high_ == Face::dirichlet) {
    t.forward = 4;
    t.backward = 5;
    first = 1;
    step = 2;
    t.scale /= 2;
  } else if (low_ != Face::periodic) { // between two faces of the kind that is no mirror
    const bool at_low = low_ == Face::mirror;
    if (at_low) t.first = -points_;
    numbers = 2 * points_;
    if ((at_low ? high_ : low_) == Face::dirichlet) { // the period is that of this transform
      t.forward = t.backward = 7;
      first = 1;
    } else { // twice as long
      t.forward = t.backward = 3;
      t.scale *= 2;
      step = 0.5;
    }
  }
  for (int k = 0; k < numbers; ++k)
    t.frequencies.push_back(low_ == Face::periodic ? std::min(k, points_ - k) : first + step * k);
  return t;
}

} // namespace ridge::solve::detail
