// Elliptic problems on a grid of points: div(k grad u) - shift u = f, with a condition at each
// face.
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/core/extents.hpp>
#include <ridge/stencil/boundary.hpp>

#include <string_view>

namespace ridge::solve {

/// The points of a field are its vertices, as ridge/stencil/boundary.hpp says: those of a dirichlet
/// face have the face's value, all others are solved for. Of second order by finite volumes: the
/// 7-point stencil, whose volumes are halved at faces of neumann. Of higher order by second
/// differences of 2 to 4 neighbours on both sides, continued beyond faces as the page says.
struct GridProblem {
  Index3 extents;                 ///< points of the field; an axis of one point has no neighbours
  stencil::Boundaries boundaries; ///< dirichlet, neumann, mirror or periodic at every face
  double shift = 0;               ///< at least 0
  int order = 2;                  ///< 2, 4, 6 or 8; above 2 faces have one value each

  /// No condition and no shift fixes the mean: a solution is one up to a constant, and exists only
  /// for right-hand sides that balance what comes in through the faces.
  [[nodiscard]] bool is_singular() const;
};

/// Poisson's equation with conditions as text, such as "x=periodic,y=dirichlet:0". Throws
/// UsageError for what is no condition.
[[nodiscard]] GridProblem parse_grid_problem(Index3 extents, std::string_view conditions);

/// Throws UsageError for a face without a condition, a negative shift, a spacing that is not
/// positive, and an axis with no point to solve for.
void require_solvable(const GridProblem& problem);

/// How ranks share the points of the problem's fields: each has neighbouring planes along z. Throws
/// UsageError where there are more ranks than planes.
[[nodiscard]] comm::Grid grid_of_ranks(const GridProblem& problem, int ranks);

} // namespace ridge::solve
