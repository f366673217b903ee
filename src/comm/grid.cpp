#include <ridge/comm/grid.hpp>
#include <ridge/core/error.hpp>
#include <ridge/core/extents.hpp>

#include "../core/refuse.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <tuple>

namespace ridge::comm {

namespace {

/// First point of part `i` of `parts`.
Index part(Index points, Index parts, Index i) {
  return points * i / parts;
}

/// What is wrong with a grid for these points; empty where nothing is.
std::string problem(const Index3& points, const Index3& ranks, const Reach& reach,
                    const Index3& least) {
  for (int axis = 0; axis < 3; ++axis) {
    const Index parts = along(ranks, axis);
    const Index fewest = along(points, axis) / parts;
    const Index need =
        parts > 1 ? std::max<Index>({1, along(reach.radius(), axis), along(least, axis)}) : 1;
    if (fewest < need) {
      return std::to_string(along(points, axis)) + " points along " + axis_name(axis) +
             " are too few for " + std::to_string(parts) + " ranks: each must own at least " +
             std::to_string(need);
    }
  }
  return {};
}

} // namespace

Box overlap(const Box& a, const Box& b) {
  Box both;
  for (int axis = 0; axis < 3; ++axis) {
    along(both.begin, axis) = std::max(along(a.begin, axis), along(b.begin, axis));
    along(both.end, axis) = std::min(along(a.end, axis), along(b.end, axis));
  }
  return both;
}

Reach::Reach(const std::vector<Index3>& offsets, int steps) {
  using Point = std::tuple<Index, Index, Index>;
  std::set<Point> reached{{0, 0, 0}};
  for (int step = 0; step < steps; ++step) {
    std::set<Point> next = reached;
    for (const auto& [x, y, z] : reached) {
      for (const Index3& o : offsets)
        next.emplace(x + o.x, y + o.y, z + o.z);
    }
    reached = std::move(next);
  }
  for (const auto& [x, y, z] : reached) {
    const Index3 o{x, y, z};
    for (int number = 0; number < directions; ++number) {
      const Index3 d = direction_of(number);
      if (d == Index3{}) continue;
      bool there = true;
      for (int axis = 0; axis < 3; ++axis)
        there = there && (along(d, axis) == 0 || along(d, axis) * along(o, axis) > 0);
      if (!there) continue;
      for (int axis = 0; axis < 3; ++axis) {
        Index& deep = along(depth_[static_cast<std::size_t>(number)], axis);
        if (along(d, axis) != 0) deep = std::max(deep, std::abs(along(o, axis)));
      }
    }
  }
}

Index3 Reach::below() const {
  return {depth(number_of({-1, 0, 0})).x, depth(number_of({0, -1, 0})).y,
          depth(number_of({0, 0, -1})).z};
}

Index3 Reach::above() const {
  return {depth(number_of({1, 0, 0})).x, depth(number_of({0, 1, 0})).y,
          depth(number_of({0, 0, 1})).z};
}

Index3 Reach::radius() const {
  const Index3 b = below();
  const Index3 a = above();
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

Grid::Grid(Index3 points, Index3 ranks, const Reach& reach, Periodic periodic, const Index3& least)
    : points_(points), ranks_(ranks), reach_(reach), periodic_(periodic) {
  const std::string wrong = problem(points, ranks, reach, least);
  if (!wrong.empty()) throw UsageError("ranks " + to_text(ranks) + ": " + wrong);
}

Index3 Grid::place(int rank) const {
  return {rank % ranks_.x, rank / ranks_.x % ranks_.y, rank / (ranks_.x * ranks_.y)};
}

Box Grid::owned(int rank) const {
  const Index3 at = place(rank);
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    const Index n = along(points_, axis);
    const Index parts = along(ranks_, axis);
    along(box.begin, axis) = part(n, parts, along(at, axis));
    along(box.end, axis) = part(n, parts, along(at, axis) + 1);
  }
  return box;
}

Box Grid::held(int rank) const {
  Box box = owned(rank);
  const Index3 r = reach_.radius();
  for (int axis = 0; axis < 3; ++axis) {
    along(box.begin, axis) -= along(r, axis);
    along(box.end, axis) += along(r, axis);
    if (periodic_.along(axis)) continue;
    along(box.begin, axis) = std::max<Index>(0, along(box.begin, axis));
    along(box.end, axis) = std::min(along(points_, axis), along(box.end, axis));
  }
  return box;
}

int Grid::neighbour(int rank, const Index3& direction) const {
  Index3 at = place(rank);
  for (int axis = 0; axis < 3; ++axis) {
    Index& i = along(at, axis);
    const Index parts = along(ranks_, axis);
    i += along(direction, axis);
    if (periodic_.along(axis)) {
      i = (i + parts) % parts;
    } else if (i < 0 || i >= parts) {
      return -1;
    }
  }
  return static_cast<int>(at.x + ranks_.x * (at.y + ranks_.y * at.z));
}

Bytes Grid::sent(int rank, int element_bytes) const {
  Index points = 0;
  for (const Route& route : halo_plan(*this, rank, reach_).sends)
    points += route.peer == rank ? 0 : route.box.count();
  return {points * element_bytes};
}

Extents greatest_share(const Grid& grid, int dimensions) {
  Index most[3] = {};
  for (int rank = 0; rank < grid.count(); ++rank) {
    const Index3 n = grid.owned(rank).extents();
    for (int d = 0; d < 3; ++d)
      most[d] = std::max(most[d], along(n, d));
  }
  return {most, dimensions};
}

Extents greatest_share(const Extents& size, const Extents& grid) {
  Index most[max_rank] = {};
  for (int d = 0; d < size.rank(); ++d)
    most[d] = ceil_div(size[d], grid[d]);
  return {most, size.rank()};
}

Division divide(const Grid& grid, int rank) {
  Box rest = grid.owned(rank);
  const Index3 r = grid.reach().radius();
  Index3 low{};
  Index3 high{};
  for (int axis = 0; axis < 3; ++axis) {
    const Index deep = along(r, axis);
    Index3 direction{};
    along(direction, axis) = 1;
    if (grid.neighbour(rank, direction) >= 0) along(high, axis) = deep;
    along(direction, axis) = -1;
    if (grid.neighbour(rank, direction) >= 0) along(low, axis) = deep;
    if (grid.periodic().along(axis)) continue;
    along(rest.begin, axis) = std::max(along(rest.begin, axis), deep);
    along(rest.end, axis) = std::min(along(rest.end, axis), along(grid.points(), axis) - deep);
  }
  return divide(rest, low, high);
}

Division divide(const Box& box, const Index3& low, const Index3& high) {
  Box rest = box;
  Division division;
  // Slabs in z are cut off first, so that they are whole rows and planes.
  for (int axis = 2; axis >= 0; --axis) {
    for (const int side : {-1, 1}) {
      if (rest.empty() || along(side < 0 ? low : high, axis) == 0) continue;
      Box slab = rest;
      if (side < 0) {
        along(slab.end, axis) =
            std::min(along(rest.end, axis), along(box.begin, axis) + along(low, axis));
        along(rest.begin, axis) = along(slab.end, axis);
      } else {
        along(slab.begin, axis) =
            std::max(along(rest.begin, axis), along(box.end, axis) - along(high, axis));
        along(rest.end, axis) = along(slab.begin, axis);
      }
      division.outer.push_back(slab);
    }
  }
  if (!rest.empty()) division.inner = rest;
  return division;
}

HaloPlan halo_plan(const Grid& grid, int rank, const Reach& reach) {
  HaloPlan plan;
  const Box mine = grid.owned(rank);
  for (int number = 0; number < directions; ++number) {
    const Index3 d = direction_of(number);
    const Index3 back{-d.x, -d.y, -d.z};
    if (reach.needs(number)) {
      // What lies there in the field is owned by the neighbour.
      if (const int peer = grid.neighbour(rank, d); peer >= 0) {
        Box box = mine;
        for (int axis = 0; axis < 3; ++axis) {
          const Index deep = along(reach.depth(number), axis);
          if (along(d, axis) < 0) {
            along(box.end, axis) = along(mine.begin, axis);
            along(box.begin, axis) = along(mine.begin, axis) - deep;
          } else if (along(d, axis) > 0) {
            along(box.begin, axis) = along(mine.end, axis);
            along(box.end, axis) = along(mine.end, axis) + deep;
          }
        }
        plan.receives.push_back({peer, number, box});
      }
      // And the neighbour opposite needs from me what it looks for in this direction.
      if (const int peer = grid.neighbour(rank, back); peer >= 0) {
        Box box = mine;
        for (int axis = 0; axis < 3; ++axis) {
          const Index deep = along(reach.depth(number), axis);
          if (along(d, axis) < 0) along(box.begin, axis) = along(mine.end, axis) - deep;
          if (along(d, axis) > 0) along(box.end, axis) = along(mine.begin, axis) + deep;
        }
        plan.sends.push_back({peer, number, box});
      }
    }
  }
  return plan;
}

namespace {

/// Points that a rank sends, those of faces in x several times: their words lie rows apart, so each
/// moves a whole sector of memory, where it is packed and where it is unpacked.
Index cost_of_sends(const Grid& grid, int rank) {
  constexpr Index of_x = 8; // measured on four H200s (docs/design/ranks.md)
  const Index whole_x = grid.owned(rank).extents().x;
  Index cost = 0;
  for (const Route& route : halo_plan(grid, rank, grid.reach()).sends) {
    const bool divided_x = grid.ranks().x > 1 && route.box.extents().x < whole_x;
    if (route.peer != rank) cost += route.box.count() * (divided_x ? of_x : 1);
  }
  return cost;
}

} // namespace

Index3 choose_ranks(int ranks, Index3 points, const Reach& reach, Periodic periodic,
                    const Index3& least) {
  Index3 best{};
  Index fewest = -1;
  for (Index x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (Index y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y != 0) continue;
      const Index3 candidate{x, y, ranks / x / y};
      if (!problem(points, candidate, reach, least).empty()) continue;
      const Grid grid(points, candidate, reach, periodic, least);
      // A rank in the middle sends most; parts differ by a point.
      const int middle = static_cast<int>(
          candidate.x / 2 + candidate.x * (candidate.y / 2 + candidate.y * (candidate.z / 2)));
      const Index most = cost_of_sends(grid, middle);
      if (fewest < 0 || most < fewest) {
        fewest = most;
        best = candidate;
      }
    }
  }
  if (fewest < 0) {
    const Index3 r = reach.radius();
    const Index3 need{std::max(r.x, least.x), std::max(r.y, least.y), std::max(r.z, least.z)};
    throw UsageError(std::to_string(ranks) + " ranks are too many for " +
                     to_text(Extents{points.x, points.y, points.z}) +
                     " points: each must own at least " + to_text(need) +
                     " of them along the axes that are divided; start fewer ranks");
  }
  return best;
}

namespace {

/// Calls `visit` with each grid of so many ranks over dimensions from number d on.
void for_each_grid(int ranks, int dimensions, std::array<Index, max_rank>& grid, int d,
                   const std::function<void()>& visit) {
  for (int n = 1; n <= ranks; ++n) {
    if (ranks % n != 0 || (d == dimensions - 1 && n != ranks)) continue;
    grid[static_cast<std::size_t>(d)] = n;
    d == dimensions - 1 ? visit() : for_each_grid(ranks / n, dimensions, grid, d + 1, visit);
  }
}

} // namespace

Extents choose_grid(int ranks, const Extents& whole, int least) {
  std::array<Index, max_rank> grid{};
  grid.fill(1);
  Extents best;
  double fewest = -1;
  for_each_grid(ranks, whole.rank(), grid, 0, [&] {
    double sent = 0; // by a rank, for each site that it owns
    for (int d = 0; d < whole.rank(); ++d) {
      const Index n = grid[static_cast<std::size_t>(d)];
      if (whole[d] / n < (n > 1 ? least : 1)) return;
      if (n > 1) sent += static_cast<double>(n) / static_cast<double>(whole[d]);
    }
    if (fewest >= 0 && sent >= fewest) return;
    fewest = sent;
    best = {grid.data(), whole.rank()};
  });
  refuse_if(fewest < 0,
            "{} ranks are too many for lattice {}: each must own at least {} along the dimensions "
            "that are divided; start fewer ranks",
            ranks, to_text(whole), least);
  return best;
}

Index3 parse_ranks(std::string_view text, int ranks) {
  const Extents parsed = parse_extents(text, "--ranks");
  refuse_if(parsed.rank() > 3, "--ranks {}: give PxQxR, ranks along x, y and z", text);
  if (parsed.count() != ranks) {
    throw UsageError(
        "--ranks " + std::string(text) + " is a grid of " + std::to_string(parsed.count()) +
        " ranks, and " + std::to_string(ranks) + (ranks == 1 ? " was" : " were") +
        " started; start " + std::to_string(parsed.count()) + " with mpirun -n " +
        std::to_string(parsed.count()) + ", or give a grid of " + std::to_string(ranks));
  }
  return parsed.xyz();
}

std::string to_text(const Index3& ranks) {
  return std::to_string(ranks.x) + "x" + std::to_string(ranks.y) + "x" + std::to_string(ranks.z);
}

} // namespace ridge::comm
