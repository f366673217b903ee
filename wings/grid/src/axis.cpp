#include "axis.hpp"

#include <ridge/core/error.hpp>

#include "core/refuse.hpp"
#include "spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::solve {

namespace {

Index along(Index3 n, int axis) {
  return axis == 0 ? n.x : axis == 1 ? n.y : n.z;
}
double along(const stencil::Spacing& h, int axis) {
  return axis == 0 ? h.x : axis == 1 ? h.y : h.z;
}

} // namespace

bool GridProblem::is_singular() const {
  if (shift > 0) return false;
  for (int a = 0; a < 3; ++a) {
    if (along(extents, a) == 1) continue;
    for (const auto& c : boundaries.faces[static_cast<std::size_t>(a)])
      if (c.kind == stencil::Boundary::dirichlet) return false;
  }
  return true;
}

GridProblem parse_grid_problem(Index3 extents, std::string_view conditions) {
  return {extents, stencil::parse_boundaries(conditions), 0};
}

void require_solvable(const GridProblem& problem) {
  (void)detail::second_difference(problem.order);
  refuse_if(!(problem.shift >= 0) || !std::isfinite(problem.shift),
            "the shift of an elliptic problem is at least 0, not {:g}", problem.shift);
  bool any = false;
  for (int a = 0; a < 3; ++a) {
    const Index n = along(problem.extents, a);
    if (n < 1 || n > 1 << 30)
      throw UsageError("an axis of an elliptic problem has 1 to 2^30 points, not " +
                       std::to_string(n));
    if (n == 1) continue;
    any = true;
    const double h = along(problem.boundaries.spacing, a);
    refuse_if(!(h > 0) || !std::isfinite(h), "distances between points are positive numbers");
    Index inside = n;
    for (int side = 0; side < 2; ++side) {
      const auto kind =
          problem.boundaries.faces[static_cast<std::size_t>(a)][static_cast<std::size_t>(side)]
              .kind;
      if (kind == stencil::Boundary::untouched)
        throw UsageError("face " + stencil::face_name(a, side) +
                         " has no condition: dirichlet:VALUE, neumann:VALUE, mirror or periodic");
      if (kind == stencil::Boundary::dirichlet) --inside;
      if (problem.order > 2 &&
          !problem.boundaries.faces[static_cast<std::size_t>(a)][static_cast<std::size_t>(side)]
               .values.empty())
        throw UsageError("face " + stencil::face_name(a, side) +
                         " has a field of values, which goes with order 2");
    }
    if (inside < 1)
      throw UsageError(std::string("along ") + "xyz"[a] + " no point is left to solve for: " +
                       std::to_string(n) + " points lie on dirichlet faces");
  }
  if (!any) throw UsageError("an elliptic problem has an axis of several points");
}

comm::Grid grid_of_ranks(const GridProblem& problem, int ranks) {
  return {problem.extents, {1, 1, ranks}, comm::Reach()};
}

} // namespace ridge::solve

namespace ridge::solve::detail {

namespace {

/// Sets volumes and weights from distances and walls.
void weigh(Axis& axis, int points) {
  const auto n = static_cast<std::size_t>(points);
  axis.volume.assign(n, 1);
  axis.low.assign(n, 0);
  axis.high.assign(n, 0);
  if (n == 1 && axis.gaps.empty() && !axis.walls[0].holds_value && !axis.walls[1].holds_value)
    return; // no neighbours and no walls that hold it
  for (int i = 0; i < points; ++i) {
    double half[2]; // of the volume, on both sides
    double distance[2];
    for (int side = 0; side < 2; ++side) {
      const Wall& wall = axis.walls[side];
      if (axis.has_neighbour(i, side)) {
        const int gap = side == 1 ? i : (i > 0 ? i - 1 : points - 1);
        distance[side] = axis.gaps[static_cast<std::size_t>(gap)];
        half[side] = distance[side] / 2;
      } else {
        distance[side] = wall.holds_value ? wall.distance : 0;
        half[side] = wall.holds_value ? wall.distance / 2 : wall.distance;
      }
    }
    const auto at = static_cast<std::size_t>(i);
    axis.volume[at] = half[0] + half[1];
    axis.low[at] = distance[0] > 0 ? 1 / (distance[0] * axis.volume[at]) : 0;
    axis.high[at] = distance[1] > 0 ? 1 / (distance[1] * axis.volume[at]) : 0;
  }
}

} // namespace

double Axis::spacing() const {
  return gaps.empty()
             ? walls[0].distance + walls[1].distance
             : std::accumulate(gaps.begin(), gaps.end(), 0.0) / static_cast<double>(gaps.size());
}

std::pair<int, int> Axis::even_points() const {
  const int middle = points() / 2;
  const auto is_alike = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    const auto as = static_cast<std::size_t>(middle);
    return has_neighbour(i, 0) && has_neighbour(i, 1) && low[at] == low[as] && high[at] == high[as];
  };
  int begin = middle;
  int end = middle;
  while (begin > 0 && is_alike(begin - 1))
    --begin;
  while (end < points() && is_alike(end))
    ++end;
  return {begin, end};
}

bool Axis::mirrors(int side) const {
  constexpr int fewest = 8; // a pass reaches four planes beyond
  if (is_periodic || points() < fewest) return false;
  const double usual = low[low.size() / 2];
  return side == 0 ? low.front() == 0 && high.front() == 2 * usual
                   : high.back() == 0 && low.back() == 2 * usual;
}

bool Axis::is_uniform() const {
  const double usual = low[low.size() / 2];
  const auto begin = static_cast<std::size_t>(mirrors(0));
  const std::size_t end = low.size() - static_cast<std::size_t>(mirrors(1));
  for (std::size_t i = begin; i < end; ++i)
    if (low[i] != usual || high[i] != usual) return false;
  return true;
}

bool weighs_alike(const Axis& axis, const Coarsening& c) {
  return axis.is_uniform() &&
         (!axis.mirrors(1) || c.centre.front() + 2 * c.axis.points() - 1 == axis.points());
}

Axis finest_axis(const GridProblem& problem, int which) {
  const Index n = which == 0   ? problem.extents.x
                  : which == 1 ? problem.extents.y
                               : problem.extents.z;
  Axis axis;
  if (n == 1) {
    weigh(axis, 1);
    return axis;
  }
  const auto& h3 = problem.boundaries.spacing;
  const double h = which == 0 ? h3.x : which == 1 ? h3.y : h3.z;
  int points = static_cast<int>(n);
  for (std::size_t side = 0; side < 2; ++side) {
    switch (problem.boundaries.faces[static_cast<std::size_t>(which)][side].kind) {
    case stencil::Boundary::dirichlet:
      axis.walls[side] = {true, h};
      --points;
      break;
    case stencil::Boundary::mirror:
      axis.walls[side] = {false, h / 2};
      break;
    case stencil::Boundary::periodic:
      axis.is_periodic = true;
      break;
    default: // neumann: the wall is at the point
      break;
    }
  }
  axis.gaps.assign(static_cast<std::size_t>(axis.is_periodic ? points : points - 1), h);
  weigh(axis, points);
  return axis;
}

Coarsening kept(const Axis& axis) {
  Coarsening c;
  c.axis = axis;
  for (int i = 0; i < axis.points(); ++i) {
    c.left.push_back(i);
    c.right.push_back(i);
    c.left_weight.push_back(1);
    c.right_weight.push_back(0);
    c.centre.push_back(i);
    c.reach.push_back(0);
    for (const double taken : {0, 0, 1, 0, 0})
      c.taken.push_back(taken);
  }
  return c;
}

Coarsening coarsened(const Axis& axis) {
  const int n = axis.points();
  // The first coarse point lies two gaps from a wall that holds a value, so that fine points beside
  // the wall are interpolated with it; else it is the first point.
  Coarsening c;
  for (int i = axis.walls[0].holds_value ? 1 : 0; i < n; i += 2)
    c.centre.push_back(i);
  // Nothing flows through other walls: values beyond the last coarse point would be as that.
  if (axis.is_periodic && n % 2 == 1 && n > 3) c.centre.pop_back();
  if (!axis.walls[1].holds_value && !axis.is_periodic && c.centre.back() != n - 1)
    c.centre.push_back(n - 1);
  const auto coarse = static_cast<int>(c.centre.size());

  Axis& next = c.axis;
  next.is_periodic = axis.is_periodic;
  std::vector<double> place(static_cast<std::size_t>(n), 0); // of fine points, the first at 0
  for (int i = 1; i < n; ++i)
    place[static_cast<std::size_t>(i)] =
        place[static_cast<std::size_t>(i - 1)] + axis.gaps[static_cast<std::size_t>(i - 1)];
  const double period = axis.is_periodic ? place.back() + axis.gaps.back() : 0;
  const auto at = [&](int coarse_point) {
    return place[static_cast<std::size_t>(c.centre[static_cast<std::size_t>(coarse_point)])];
  };
  for (int i = 0; i + 1 < coarse; ++i)
    next.gaps.push_back(at(i + 1) - at(i));
  if (axis.is_periodic) next.gaps.push_back(at(0) + period - at(coarse - 1));
  next.walls[0] = {axis.walls[0].holds_value, axis.walls[0].distance + at(0)};
  next.walls[1] = {axis.walls[1].holds_value,
                   axis.walls[1].distance + (place.back() - at(coarse - 1))};
  weigh(next, coarse);

  // Interpolation: linear between neighbours, to 0 at walls that hold a value, constant beyond the
  // last point before other walls.
  int after = 0; // the first coarse point at or behind the fine one
  for (int i = 0; i < n; ++i) {
    while (after < coarse && c.centre[static_cast<std::size_t>(after)] < i)
      ++after;
    const double x = place[static_cast<std::size_t>(i)];
    int left = after - 1;
    int right = after;
    double left_weight = 0;
    double right_weight = 1;
    if (right < coarse && c.centre[static_cast<std::size_t>(right)] == i) {
      left = right;
    } else if (left < 0 && !axis.is_periodic) { // before the first
      left = right;
      const double wall = next.walls[0].distance;
      right_weight = axis.walls[0].holds_value ? (wall - (at(right) - x)) / wall : 1;
    } else if (right >= coarse && !axis.is_periodic) { // behind the last
      right = left;
      const double wall = next.walls[1].distance;
      left_weight = axis.walls[1].holds_value ? (wall - (x - at(left))) / wall : 1;
      right_weight = 0;
    } else {
      double begin = left < 0 ? at(coarse - 1) - period : at(left);
      double end = right >= coarse ? at(0) + period : at(right);
      if (left < 0) left = coarse - 1;
      if (right >= coarse) right = 0;
      right_weight = (x - begin) / (end - begin);
      left_weight = 1 - right_weight;
    }
    c.left.push_back(left);
    c.right.push_back(right);
    c.left_weight.push_back(left_weight);
    c.right_weight.push_back(right_weight);
  }

  // Restriction: what each coarse point gives to fine ones it takes from them, by volumes.
  c.reach.assign(static_cast<std::size_t>(coarse), 0);
  c.taken.assign(5 * static_cast<std::size_t>(coarse), 0);
  for (int i = 0; i < n; ++i) {
    const auto fine = static_cast<std::size_t>(i);
    const auto give = [&](int to, double weight) {
      if (weight == 0) return;
      const auto t = static_cast<std::size_t>(to);
      int distance = i - c.centre[t];
      if (axis.is_periodic && distance > n / 2) distance -= n;
      if (axis.is_periodic && distance < -((n - 1) / 2)) distance += n;
      if (distance < -2 || distance > 2) throw Failure("a coarse grid reaches too far");
      c.reach[t] = std::max(c.reach[t], std::abs(distance));
      c.taken[5 * t + static_cast<std::size_t>(2 + distance)] +=
          weight * axis.volume[fine] / next.volume[t];
    };
    give(c.left[fine], c.left_weight[fine]);
    give(c.right[fine], c.right_weight[fine]);
  }
  return c;
}

std::optional<Steps> steps_of(const Axis& axis, const Coarsening& c) {
  const int n = axis.points();
  const int coarse = c.axis.points();
  Steps steps;
  steps.is_halved = coarse != n;
  steps.first = c.centre.front();
  const int step = steps.is_halved ? 2 : 1;
  steps.taken.assign(3 * static_cast<std::size_t>(coarse), 0);
  steps.given.assign(2 * static_cast<std::size_t>(n), 0);
  // From `from` to `to` along an axis of `points`, the short way.
  const auto from_to = [&](int from, int to, int points) {
    int way = to - from;
    if (!axis.is_periodic) return way;
    if (2 * way > points) way -= points;
    if (2 * way < -points) way += points;
    return way;
  };
  for (int i = 0; i < coarse; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (int k = -c.reach[at]; k <= c.reach[at]; ++k) {
      const double weight = c.taken[5 * at + static_cast<std::size_t>(2 + k)];
      if (weight == 0) continue;
      const int way = from_to(steps.first + step * i, c.centre[at] + k, n);
      if (way < -1 || way > 1) return {};
      steps.taken[3 * at + static_cast<std::size_t>(1 + way)] += weight;
    }
  }
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int left = (i - steps.first) >> (steps.is_halved ? 1 : 0);
    const auto give = [&](int to, double weight) {
      if (weight == 0) return true;
      int way = to - left;
      if (axis.is_periodic && way < 0) way += coarse;
      if (way < 0 || way > 1) return false;
      steps.given[2 * at + static_cast<std::size_t>(way)] += weight;
      return true;
    };
    if (!give(c.left[at], c.left_weight[at]) || !give(c.right[at], c.right_weight[at])) return {};
  }
  return steps;
}

std::vector<bool> coarsened_axes(const std::vector<Axis>& axes) {
  // Two points of a periodic axis, or one between walls, are not coarsened.
  constexpr int fewest = 3;
  double closest = 0;
  for (const Axis& axis : axes)
    if (axis.points() >= fewest && (closest == 0 || axis.spacing() < closest))
      closest = axis.spacing();
  std::vector<bool> chosen;
  constexpr double alike = 1.5; // couplings that differ by less than its square
  for (const Axis& axis : axes)
    chosen.push_back(axis.points() >= fewest && axis.spacing() < alike * closest);
  return chosen;
}

} // namespace ridge::solve::detail
