// Parts of a field that many sweeps go over, one a rank: the points it owns, the halo around them,
// and the boundary conditions of both together.
//
// Towards other ranks a part is like an untouched face: its outermost radius of points is no
// sweep's to compute. That is the halo, which other ranks send. It may be several radii deep: then
// so many sweeps pass before it is needed anew, and compute some of it on the way.
#pragma once

#include <ridge/comm/grid.hpp>
#include <ridge/device/view.hpp>
#include <ridge/stencil/boundary.hpp>
#include <ridge/stencil/traits.hpp>

#include <optional>

namespace ridge::comm {
class Communicator;
}

namespace ridge::stencil {

/// The points that a kernel reads of its neighbours along each direction; of one input, or of all.
[[nodiscard]] comm::Reach reach_of(const std::vector<std::vector<Offset>>& footprints,
                                   int steps = 1);
template <class K>
[[nodiscard]] comm::Reach reach_of(int steps = 1) {
  return reach_of(traits_of<K, double>().footprints, steps);
}

/// A box of a field and what lies around it within the radius: a launch over that writes the box.
template <class U>
[[nodiscard]] View<U> around(const View<U>& field, const comm::Box& box, Offset r) {
  const Index3 n = box.extents();
  return View<U>(field.data + field.at(box.begin.x - r.x, box.begin.y - r.y, box.begin.z - r.z),
                 {n.x + 2 * r.x, n.y + 2 * r.y, n.z + 2 * r.z}, field.row, field.plane);
}

class RankPart {
public:
  /// A part of `points` with these boundaries, those of the whole field, values of faces included.
  /// `sweeps`: so many from one exchange to the next. `ranks`: the grid, or the one that sends
  /// least. The communicator must outlive this. Throws UsageError where boundaries do not fit, or
  /// some rank would own too few points. Not collective.
  RankPart(comm::Communicator& communicator, Index3 points, const Traits& traits,
           const Boundaries& boundaries, int sweeps = 1, const std::optional<Index3>& ranks = {});

  /// Periodic along axes that are divided.
  [[nodiscard]] const comm::Grid& grid() const { return grid_; }
  [[nodiscard]] comm::Communicator& communicator() const { return *communicator_; }
  /// In coordinates of the whole field; held is with the halo, which lies beyond faces where axes
  /// go round.
  [[nodiscard]] const comm::Box& owned() const { return owned_; }
  [[nodiscard]] const comm::Box& held() const { return held_; }
  /// The boundaries of the points held.
  [[nodiscard]] const Boundaries& boundaries() const { return boundaries_; }
  [[nodiscard]] const Boundaries& boundaries_of_all() const { return all_; }
  /// Points of the halo at the low and the high faces.
  [[nodiscard]] Index3 low() const;
  [[nodiscard]] Index3 high() const;
  [[nodiscard]] int sweeps() const { return sweeps_; }

private:
  comm::Communicator* communicator_;
  comm::Grid grid_;
  comm::Box owned_, held_;
  Boundaries all_, boundaries_;
  int sweeps_;
};

} // namespace ridge::stencil
