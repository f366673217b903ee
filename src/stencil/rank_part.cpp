#include <ridge/comm/communicator.hpp>
#include <ridge/stencil/rank_part.hpp>

namespace ridge::stencil {

namespace {

bool goes_round(const Boundaries& boundaries, int axis) {
  return boundaries.faces[static_cast<std::size_t>(axis)][0].kind == Boundary::periodic;
}

/// Where points beyond faces are images of points within, a footprint reaches those, too.
std::vector<std::vector<Offset>> with_mirrored(std::vector<std::vector<Offset>> footprints) {
  for (auto& offsets : footprints) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto known = offsets;
      for (Offset o : known) {
        int& one = axis == 0 ? o.x : axis == 1 ? o.y : o.z;
        one = -one;
        if (one != 0) offsets.push_back(o);
      }
    }
  }
  return footprints;
}

comm::Reach reach_over_ranks(const Traits& traits, const Boundaries& boundaries, int sweeps) {
  bool reflects = false;
  for (const auto& faces : boundaries.faces) {
    for (const Condition& c : faces)
      reflects = reflects || (c.kind != Boundary::untouched && c.kind != Boundary::periodic);
  }
  return reach_of(reflects ? with_mirrored(traits.footprints) : traits.footprints, sweeps);
}

comm::Grid make_grid(const comm::Communicator& communicator, Index3 points, const Traits& traits,
                     const Boundaries& boundaries, int sweeps, const std::optional<Index3>& ranks) {
  require_fit(boundaries, traits.radius, points);
  const int deep = communicator.ranks() > 1 ? sweeps : 1;
  const comm::Reach reach = reach_over_ranks(traits, boundaries, deep);
  // Beside what may be untouched there is something to compute.
  const Offset r = traits.radius;
  const Index3 least{r.x + 1, r.y + 1, r.z + 1};
  comm::Periodic round{goes_round(boundaries, 0), goes_round(boundaries, 1),
                       goes_round(boundaries, 2)};
  const Index3 shape =
      ranks ? *ranks : comm::choose_ranks(communicator.ranks(), points, reach, round, least);
  round = {round.x && shape.x > 1, round.y && shape.y > 1, round.z && shape.z > 1};
  return {points, shape, reach, round, least};
}

/// The values of a face on the points that a rank holds of it.
std::vector<double> part_of(const std::vector<double>& values, int axis, const Index3& points,
                            const comm::Box& held) {
  const int fast = axis == 0 ? 1 : 0;
  const int slow = axis == 2 ? 1 : 2;
  const auto in = [](Index i, Index n) { return (i % n + n) % n; };
  std::vector<double> part;
  for (Index v = comm::along(held.begin, slow); v < comm::along(held.end, slow); ++v) {
    for (Index u = comm::along(held.begin, fast); u < comm::along(held.end, fast); ++u) {
      const Index n = comm::along(points, fast);
      part.push_back(
          values[static_cast<std::size_t>(in(u, n) + n * in(v, comm::along(points, slow)))]);
    }
  }
  return part;
}

} // namespace

comm::Reach reach_of(const std::vector<std::vector<Offset>>& footprints, int steps) {
  std::vector<Index3> offsets;
  for (const auto& footprint : footprints) {
    for (const Offset& o : footprint)
      offsets.push_back({o.x, o.y, o.z});
  }
  return comm::Reach(offsets, steps);
}

RankPart::RankPart(comm::Communicator& communicator, Index3 points, const Traits& traits,
                   const Boundaries& boundaries, int sweeps, const std::optional<Index3>& ranks)
    : communicator_(&communicator),
      grid_(make_grid(communicator, points, traits, boundaries, sweeps, ranks)),
      owned_(grid_.owned(communicator.rank())), held_(grid_.held(communicator.rank())),
      all_(boundaries), boundaries_(boundaries), sweeps_(sweeps) {
  for (int axis = 0; axis < 3; ++axis) {
    auto& faces = boundaries_.faces[static_cast<std::size_t>(axis)];
    for (const int side : {0, 1}) {
      Index3 direction{};
      comm::along(direction, axis) = side == 0 ? -1 : 1;
      if (grid_.neighbour(communicator.rank(), direction) >= 0)
        faces[static_cast<std::size_t>(side)] = Condition{};
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    for (Condition& c : boundaries_.faces[static_cast<std::size_t>(axis)]) {
      if (!c.values.empty()) c.values = part_of(c.values, axis, points, held_);
    }
  }
}

Index3 RankPart::low() const {
  const Index3 o = owned_.begin;
  const Index3 h = held_.begin;
  return {o.x - h.x, o.y - h.y, o.z - h.z};
}

Index3 RankPart::high() const {
  const Index3 o = owned_.end;
  const Index3 h = held_.end;
  return {h.x - o.x, h.y - o.y, h.z - o.z};
}

} // namespace ridge::stencil
